package client

import (
	"cmp"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// ledger is the state of a conversation across connections: its cursor, and the
// requests that may not have arrived. It does no I/O.
type ledger struct {
	start   *pb.StartConversation
	last    uint64 // the cursor: the last sequence received
	lineage string // of the journal that the cursor belongs to
	said    bool   // there was a message: the daemon does not discard the session
	entries []*entry
}

// entry is a request that is not confirmed.
type entry struct {
	request *pb.AgentRequest
	id      string // idempotency key of a message, id of a request; empty: it is sent once
	sent    bool   // on this connection
}

// news is what an event means for the reader.
type news uint8

const (
	fresh    news = iota // not seen before
	repeated             // already delivered
	restored             // the journal is another one: history has to be read again
)

// opening returns the first request of the next connection.
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

// add queues a request.
func (l *ledger) add(r *pb.AgentRequest) {
	e := &entry{request: r}
	switch r := r.GetRequest().(type) {
	case *pb.AgentRequest_Message:
		e.id = r.Message.GetIdempotencyKey()
	case *pb.AgentRequest_Permission:
		e.id = r.Permission.GetRequestId()
	case *pb.AgentRequest_QuestionResponse:
		e.id = r.QuestionResponse.GetQuestionId()
	}
	l.entries = append(l.entries, e)
}

// next returns the next request to send on this connection; nil if there is none. A
// request that is sent only once leaves the ledger.
func (l *ledger) next() *pb.AgentRequest {
	for i, e := range l.entries {
		if e.sent {
			continue
		}
		e.sent = true
		if e.id == "" {
			l.entries = append(l.entries[:i:i], l.entries[i+1:]...)
		}
		return e.request
	}
	return nil
}

// disconnected prepares for the next connection: requests that may not have arrived
// are sent again. It returns those that were to be sent once and were not sent.
func (l *ledger) disconnected() (lost []*pb.AgentRequest) {
	var kept []*entry
	for _, e := range l.entries {
		if e.id == "" {
			lost = append(lost, e.request)
			continue
		}
		e.sent = false
		kept = append(kept, e)
	}
	l.entries = kept
	if l.start.GetDiscardUnused() && !l.said { // the session may be another one under the same id
		l.forget()
	}
	return lost
}

// unconfirmed returns the number of messages and answers that are not confirmed.
func (l *ledger) unconfirmed() int { return len(l.entries) }

// unused reports whether the daemon discards the session when this client detaches: as far as is
// known it has no message.
func (l *ledger) unused() bool { return l.start.GetDiscardUnused() && !l.said && len(l.entries) == 0 }

// forget drops the cursor: the daemon does not know it, so its journal is another one.
func (l *ledger) forget() { l.last, l.lineage = 0, "" }

// receive applies an event to the ledger.
func (l *ledger) receive(e *pb.AgentEvent) news {
	// The lineage of a snapshot only: the history of a restored journal has the lineage before.
	if info := e.GetSessionInfo(); info.GetLineage() != "" && e.GetSequence() == 0 {
		if l.lineage != "" && l.lineage != info.GetLineage() {
			l.last, l.lineage = 0, info.GetLineage()
			return restored
		}
		l.lineage = info.GetLineage()
		if l.last == 0 && l.withoutHistory() {
			l.last = info.GetHead() // the cursor of a client without history
		}
	}
	if e.GetSequence() > 0 {
		if e.GetSequence() <= l.last {
			return repeated
		}
		l.last = e.GetSequence()
	}
	if e.GetVolatile() {
		return fresh // it is not journaled: the request may still be refused
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_UserInput:
		l.said = true
		l.confirm(event.UserInput.GetIdempotencyKey(), false)
	case *pb.AgentEvent_PermissionResolved:
		l.confirm(event.PermissionResolved.GetRequestId(), true)
	case *pb.AgentEvent_Error:
		l.confirm(event.Error.GetDetails()["idempotency_key"], false)
		l.confirm(event.Error.GetDetails()["request_id"], false)
	}
	return fresh
}

// withoutHistory reports whether the conversation began without history.
func (l *ledger) withoutHistory() bool {
	h := l.start.GetHistory()
	return h == pb.HistoryPolicy_HISTORY_POLICY_NONE || h == pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY
}

// confirm removes a request that has arrived or was refused. With parts it also
// removes the answers to single questions of a request, "<request>/<n>".
func (l *ledger) confirm(id string, parts bool) {
	if id == "" {
		return
	}
	var kept []*entry
	for _, e := range l.entries {
		if e.id != id && (!parts || !strings.HasPrefix(e.id, id+"/")) {
			kept = append(kept, e)
		}
	}
	l.entries = kept
}
