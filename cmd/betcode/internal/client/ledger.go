package client

import (
	"cmp"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// ledger is what a client remembers of a conversation across connections: how far
// it has read, and what it has said that may not have arrived. It does no I/O.
type ledger struct {
	start   *pb.StartConversation
	last    uint64 // the last sequence received
	lineage string // of the journal that last counts in
	said    []*entry
}

// entry is one thing that was said.
type entry struct {
	request *pb.AgentRequest
	id      string // key of a message, id of a request; empty: for now only
	sent    bool   // on the present connection
}

// news is what an event means for the one who reads.
type news uint8

const (
	fresh    news = iota // not seen before
	repeated             // already delivered
	restored             // the journal is another one: everything has to be read again
)

// opening is the first message of the next connection.
func (l *ledger) opening() *pb.AgentRequest {
	start := proto.CloneOf(l.start)
	start.KeepsPrompts = true
	switch {
	case l.last > 0 || start.GetFromSequence() > 0 && start.GetHistory() == pb.HistoryPolicy_HISTORY_POLICY_UNSPECIFIED:
		start.History, start.FromSequence = pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE, cmp.Or(l.last, start.GetFromSequence())
	case start.GetHistory() == pb.HistoryPolicy_HISTORY_POLICY_UNSPECIFIED:
		start.History = pb.HistoryPolicy_HISTORY_POLICY_FULL
	}
	return &pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: start}}
}

// say notes something to be sent.
func (l *ledger) say(r *pb.AgentRequest) {
	e := &entry{request: r}
	switch r := r.GetRequest().(type) {
	case *pb.AgentRequest_Message:
		e.id = r.Message.GetIdempotencyKey()
	case *pb.AgentRequest_Permission:
		e.id = r.Permission.GetRequestId()
	case *pb.AgentRequest_QuestionResponse:
		e.id = r.QuestionResponse.GetQuestionId()
	}
	l.said = append(l.said, e)
}

// next is the next request to send on this connection, nil if there is none. What
// is only for now is forgotten at once.
func (l *ledger) next() *pb.AgentRequest {
	for i, e := range l.said {
		if e.sent {
			continue
		}
		e.sent = true
		if e.id == "" {
			l.said = append(l.said[:i:i], l.said[i+1:]...)
		}
		return e.request
	}
	return nil
}

// disconnected prepares for the next connection: what may not have arrived is to
// be sent again. What was only for now and never sent is returned as lost.
func (l *ledger) disconnected() (lost []*pb.AgentRequest) {
	var kept []*entry
	for _, e := range l.said {
		if e.id == "" {
			lost = append(lost, e.request)
			continue
		}
		e.sent = false
		kept = append(kept, e)
	}
	l.said = kept
	return lost
}

// unsettled is how many messages and answers are not known to have arrived.
func (l *ledger) unsettled() int { return len(l.said) }

// forget is called when the daemon does not know the sequence we have: it counts
// in another journal now.
func (l *ledger) forget() { l.last, l.lineage = 0, "" }

// receive takes note of an event.
func (l *ledger) receive(e *pb.AgentEvent) news {
	// Only of a snapshot: in a restored journal, the history tells of the old one.
	if info := e.GetSessionInfo(); info.GetLineage() != "" && e.GetSequence() == 0 {
		if l.lineage != "" && l.lineage != info.GetLineage() {
			l.last, l.lineage = 0, info.GetLineage()
			return restored
		}
		l.lineage = info.GetLineage()
		if l.last == 0 && l.withoutHistory() {
			l.last = info.GetHead() // where counting begins for one that wants no past
		}
	}
	if e.GetSequence() > 0 {
		if e.GetSequence() <= l.last {
			return repeated
		}
		l.last = e.GetSequence()
	}
	if e.GetVolatile() {
		return fresh // it is not in the journal: what it acknowledges may be refused yet
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_UserInput:
		l.settle(event.UserInput.GetIdempotencyKey(), false)
	case *pb.AgentEvent_PermissionResolved:
		l.settle(event.PermissionResolved.GetRequestId(), true)
	case *pb.AgentEvent_Error:
		l.settle(event.Error.GetDetails()["idempotency_key"], false)
		l.settle(event.Error.GetDetails()["request_id"], false)
	}
	return fresh
}

// withoutHistory reports whether the past was not asked for.
func (l *ledger) withoutHistory() bool {
	h := l.start.GetHistory()
	return h == pb.HistoryPolicy_HISTORY_POLICY_NONE || h == pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY
}

// settle forgets what has arrived, or was refused. parts: also the answers to the
// single questions of a request, "<request>/<n>".
func (l *ledger) settle(id string, parts bool) {
	if id == "" {
		return
	}
	var kept []*entry
	for _, e := range l.said {
		if e.id != id && (!parts || !strings.HasPrefix(e.id, id+"/")) {
			kept = append(kept, e)
		}
	}
	l.said = kept
}
