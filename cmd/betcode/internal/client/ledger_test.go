package client

import (
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
)

func message(key string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: key, IdempotencyKey: key}}}
}

func allow(request string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{RequestId: request, Decision: pb.PermissionDecision_ALLOW_ONCE}}}
}

func reply(question string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{QuestionId: question}}}
}

func interrupt() *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{}}}
}

func accepted(seq uint64, key string) *pb.AgentEvent {
	return &pb.AgentEvent{Sequence: seq, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: key}}}
}

func resolved(seq uint64, request string) *pb.AgentEvent {
	return &pb.AgentEvent{Sequence: seq, Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: request}}}
}

func refused(details map[string]string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: "NO_INPUT_LOCK", Details: details}}}
}

func info(lineage string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{Lineage: lineage}}}
}

// unsent returns the ids of all queued requests.
func unsent(l *ledger) []string {
	var ids []string
	for r := l.next(); r != nil; r = l.next() {
		switch r := r.GetRequest().(type) {
		case *pb.AgentRequest_Message:
			ids = append(ids, r.Message.GetIdempotencyKey())
		case *pb.AgentRequest_Permission:
			ids = append(ids, r.Permission.GetRequestId())
		case *pb.AgentRequest_QuestionResponse:
			ids = append(ids, r.QuestionResponse.GetQuestionId())
		default:
			ids = append(ids, "now")
		}
	}
	return ids
}

// volatile marks an event as not journaled.
func volatile(e *pb.AgentEvent) *pb.AgentEvent {
	e.Volatile = true
	return e
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestLedgerResendsUnconfirmedRequests(t *testing.T) {
	for name, test := range map[string]struct {
		requests []*pb.AgentRequest
		received []*pb.AgentEvent
		again    []string
	}{
		"nothing arrived":    {[]*pb.AgentRequest{message("a"), allow("r"), message("b")}, nil, []string{"a", "r", "b"}},
		"acknowledged":       {[]*pb.AgentRequest{message("a"), message("b")}, []*pb.AgentEvent{accepted(1, "a")}, []string{"b"}},
		"not journaled":      {[]*pb.AgentRequest{message("a"), allow("r")}, []*pb.AgentEvent{volatile(accepted(0, "a")), volatile(resolved(0, "r"))}, []string{"a", "r"}},
		"of another client":  {[]*pb.AgentRequest{message("a")}, []*pb.AgentEvent{accepted(1, "x")}, []string{"a"}},
		"resolved":           {[]*pb.AgentRequest{allow("r"), allow("s")}, []*pb.AgentEvent{resolved(1, "r")}, []string{"s"}},
		"questions together": {[]*pb.AgentRequest{reply("q/0"), reply("q/1"), reply("qq/0")}, []*pb.AgentEvent{resolved(1, "q")}, []string{"qq/0"}},
		"message refused":    {[]*pb.AgentRequest{message("a"), message("b")}, []*pb.AgentEvent{refused(map[string]string{"idempotency_key": "a"})}, []string{"b"}},
		"answer too late":    {[]*pb.AgentRequest{allow("r")}, []*pb.AgentEvent{refused(map[string]string{"request_id": "r"})}, nil},
		"interrupts are not": {[]*pb.AgentRequest{interrupt(), message("a")}, nil, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &ledger{start: &pb.StartConversation{}}
			for _, r := range test.requests {
				l.add(r)
			}
			if n := len(unsent(l)); n != len(test.requests) {
				t.Fatalf("%d of %d were sent", n, len(test.requests))
			}
			for _, e := range test.received {
				l.receive(e)
			}
			if lost := l.disconnected(); len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			if got := unsent(l); !equal(got, test.again) {
				t.Errorf("sent again %v, want %v", got, test.again)
			}
		})
	}
}

func TestLedgerReturnsLostRequests(t *testing.T) {
	l := &ledger{start: &pb.StartConversation{}}
	l.add(interrupt())
	l.add(message("a"))
	if lost := l.disconnected(); len(lost) != 1 || lost[0].GetCancel() == nil {
		t.Errorf("lost %v", lost)
	}
	if got := unsent(l); !equal(got, []string{"a"}) {
		t.Errorf("then %v", got)
	}
}

func TestLedgerTracksTheCursor(t *testing.T) {
	l := &ledger{start: &pb.StartConversation{SessionId: "s", History: pb.HistoryPolicy_HISTORY_POLICY_FULL}}
	if s := l.opening().GetStart(); s.GetHistory() != pb.HistoryPolicy_HISTORY_POLICY_FULL || s.GetFromSequence() != 0 {
		t.Errorf("first %v", s)
	}
	for _, step := range []struct {
		seq  uint64
		want news
	}{{1, fresh}, {2, fresh}, {0, fresh}, {2, repeated}, {1, repeated}, {5, fresh}, {0, fresh}} {
		if got := l.receive(&pb.AgentEvent{Sequence: step.seq}); got != step.want {
			t.Errorf("event %d is %v, want %v", step.seq, got, step.want)
		}
	}
	if s := l.opening().GetStart(); s.GetHistory() != pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE || s.GetFromSequence() != 5 {
		t.Errorf("again %v", s)
	}
	if l.start.GetFromSequence() != 0 {
		t.Error("the first opening was changed")
	}
}

func TestLedgerDetectsAnotherJournal(t *testing.T) {
	l := &ledger{start: &pb.StartConversation{}}
	if l.receive(info("one")) != fresh || l.receive(&pb.AgentEvent{Sequence: 7}) != fresh || l.receive(info("one")) != fresh {
		t.Fatal("the same journal was taken for another")
	}
	if l.receive(info("two")) != restored {
		t.Error("another journal was not detected")
	}
	if s := l.opening().GetStart(); s.GetFromSequence() != 0 {
		t.Errorf("goes on from %d", s.GetFromSequence())
	}
	if l.receive(info("two")) != fresh || l.receive(&pb.AgentEvent{Sequence: 1}) != fresh {
		t.Error("the other journal cannot be read")
	}
}

func TestBackoff(t *testing.T) {
	want := []time.Duration{100, 200, 400, 800, 1600, 3200, 5000, 10000, 30000, 30000}
	for attempt, ms := range want {
		d := ms * time.Millisecond
		if got := backoff(attempt, 0.5); got.Round(time.Millisecond) != d {
			t.Errorf("attempt %d waits %s, want %s", attempt, got, d)
		}
		if lo, hi := backoff(attempt, 0), backoff(attempt, 1); lo < d*79/100 || hi > d*121/100 {
			t.Errorf("attempt %d waits %s to %s", attempt, lo, hi)
		}
	}
}

// A client without history has a cursor from the first snapshot on, so that an outage
// before the first event loses nothing.
func TestCursorWithoutHistory(t *testing.T) {
	l := &ledger{start: &pb.StartConversation{History: pb.HistoryPolicy_HISTORY_POLICY_NONE}}
	l.receive(&pb.AgentEvent{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{Lineage: "x", Head: 41}}})
	if start := l.opening().GetStart(); start.GetFromSequence() != 41 || start.GetHistory() != pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE {
		t.Errorf("reconnects with %v", start)
	}
}

// The history of a restored journal has the lineage under which it was written. Its
// replay is not taken for another restore.
func TestRestoredHistoryIsNoNewJournal(t *testing.T) {
	l := &ledger{start: &pb.StartConversation{}}
	l.receive(info("new"))
	for seq, lineage := range map[uint64]string{1: "old"} {
		e := info(lineage)
		e.Sequence = seq
		if got := l.receive(e); got != fresh || l.lineage != "new" || l.last != seq {
			t.Errorf("news %v, lineage %q, last %d", got, l.lineage, l.last)
		}
	}
	if got := l.receive(info("other")); got != restored {
		t.Errorf("news %v", got)
	}
}

// The daemon discards a session without a message when its client detaches. A client that
// reconnects begins another one under the same id, which has other events under the client's
// numbers.
func TestCursorOfAnUnusedSession(t *testing.T) {
	l := ledger{start: &pb.StartConversation{SessionId: "s", DiscardUnused: true}}
	from := func() uint64 {
		l.disconnected()
		return l.opening().GetStart().GetFromSequence()
	}
	l.receive(&pb.AgentEvent{Sequence: 2, Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{}}})
	if n := from(); n != 0 || !l.unused() {
		t.Errorf("from %d, unused %t", n, l.unused())
	}
	l.add(message("k"))
	if n := from(); n != 0 || l.unused() {
		t.Errorf("with a message on its way: from %d, unused %t", n, l.unused())
	}
	if l.receive(accepted(2, "k")) != fresh || l.unconfirmed() > 0 {
		t.Error("the message is not confirmed")
	}
	if n := from(); n != 2 || l.unused() {
		t.Errorf("with a message: from %d, unused %t", n, l.unused())
	}
}
