package queries

import (
	"testing"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/actors/internal/encode"
	"betcode/actors/session/requests"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A key leads to its session, past a session that is deleted meanwhile.
func TestResolveKey(t *testing.T) {
	s := &store{gone: "z"}
	s.add(messages.SessionRecord{ID: "a"})
	s.add(messages.SessionRecord{ID: "b"})
	s.keys["b"]["k"] = messages.StoredResult{Seq: 3}
	q := over(t, s)
	if got := answer[messages.SessionResolved](t, q, messages.ResolveKey{Key: "k"}); got.Session != "b" {
		t.Errorf("found in %s", got.Session)
	}
	if kind := refused(t, q, messages.ResolveKey{Key: "other"}); kind != messages.NotFound {
		t.Errorf("a key that nobody used: %s", kind)
	}
	for key, want := range map[string]bool{"k": true, "other": false} {
		if used, err := q.KeyUsed("b", key); err != nil || used != want {
			t.Errorf("%s: %t, %v", key, used, err)
		}
	}
	if used, err := q.KeyUsed("nowhere", "k"); err != nil || used {
		t.Errorf("in a session that does not exist: %t, %v", used, err)
	}
}

// What was done under a key is answered from the journal; another request under it is refused.
func TestRepeated(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a"})
	s.keys["a"]["old"] = messages.StoredResult{Seq: 3}
	s.keys["a"]["new"] = messages.StoredResult{Seq: 4, Digest: []byte("this")}
	q := over(t, s)
	input := messages.SendInput{Session: "a", Key: "old"}
	if got, err := q.Repeated(input); err != nil || got != (messages.InputAcknowledged{Key: "old", Seq: 3}) {
		t.Errorf("%+v, %v", got, err)
	}
	input.Key = "unused"
	if got, err := q.Repeated(input); got != nil || err != nil {
		t.Errorf("unused: %+v, %v", got, err)
	}
	input.Key, input.Digest = "new", []byte("another")
	if _, err := q.Repeated(input); messages.KindOf(err) != messages.Invalid {
		t.Errorf("another message: %v", err)
	}
	call := messages.Idempotent{Key: "new", Digest: []byte("another"), Request: messages.SetGrant{Session: "a"}}
	if _, err := q.Repeated(call); messages.KindOf(err) != messages.Invalid {
		t.Errorf("another call: %v", err)
	}
	call.Request = messages.SetGrant{Session: "gone"}
	if got, err := q.Repeated(call); got != nil || err != nil {
		t.Errorf("of no session: %+v, %v", got, err)
	}
}

// The author of a decision is found in the events of the append that stored its key.
func TestDecided(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a"})
	resolved := func(r *pb.PermissionResolved) {
		seq := messages.Seq(len(s.events["a"]) + 1)
		s.events["a"] = append(s.events["a"], encode.Event(&pb.AgentEvent{
			Timestamp: timestamppb.New(dawn), Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: r},
		}, "a", seq, dawn))
		for _, id := range append([]string{r.GetRequestId()}, r.GetFormerly()...) {
			s.keys["a"][requests.DecisionKey(messages.RequestID(id))] = messages.StoredResult{Seq: seq}
		}
	}
	for range decisionEvents + 3 {
		resolved(&pb.PermissionResolved{RequestId: "other", Reason: "client", Decision: pb.PermissionDecision_ALLOW_ONCE})
	}
	resolved(&pb.PermissionResolved{RequestId: "p2", Formerly: []string{"p1"}, Reason: "client", Decision: pb.PermissionDecision_DENY, ResolvedBy: "ann"})
	resolved(&pb.PermissionResolved{RequestId: "p3", Reason: "expired"})
	resolved(&pb.PermissionResolved{RequestId: "p4", Reason: "agent ended"})
	q := over(t, s)
	for id, want := range map[messages.RequestID]messages.PermissionAnswered{
		"p1": {By: "ann", Decision: messages.Deny, At: dawn},
		"p2": {By: "ann", Decision: messages.Deny, At: dawn},
		"p3": {Decision: messages.DecisionExpired, At: dawn},
		"p4": {}, "p5": {},
	} {
		if got, found := q.Decided("a", id); got != want || found != (want != messages.PermissionAnswered{}) {
			t.Errorf("%s: %+v, %t", id, got, found)
		}
	}
	if got := answer[messages.RequestResolved](t, q, messages.ResolveRequest{Reference: "p3"}); got.Session != "a" {
		t.Errorf("%+v", got)
	}
	if kind := refused(t, q, messages.ResolveRequest{Reference: "p"}); kind != messages.NotFound {
		t.Errorf("the beginning of an id that was not answered lately: %s", kind)
	}
	q.Answered("a", "p2")
	q.Answered("b", "p22")
	if kind := refused(t, q, messages.ResolveRequest{Reference: "p"}); kind != messages.Invalid {
		t.Errorf("two requests: %s", kind)
	}
	if got := answer[messages.RequestResolved](t, q, messages.ResolveRequest{Reference: "p22"}); got.Session != "b" {
		t.Errorf("%+v", got)
	}
}
