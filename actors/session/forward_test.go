package session

import (
	"testing"
	"time"

	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

const sessionB, sessionC messages.SessionID = "bbbbbbbb-0000-4000-8000-000000000000", "cccccccc-0000-4000-8000-000000000000"

// waitsBelow is a request of a subagent that waits.
func waitsBelow(child messages.SessionID, request messages.RequestID) prompts.Forwarded {
	return prompts.Forwarded{Name: "finder", PermissionRecord: messages.PermissionRecord{
		Session: child, Request: request, Tool: "Bash", Description: "make", Input: []byte(`{"command":"make"}`), Seq: 4, ExpiresAt: dawn.Add(time.Hour),
	}}
}

// forwardingBench is a bench whose session is a subagent of sessionB that forwards, and whose agent works.
func forwardingBench(t *testing.T) *bench {
	b := turning(t)
	b.state.record.Subagent = &messages.SubagentRecord{Parent: sessionB, Depth: 1, Forward: true, Status: messages.SubagentRunning}
	b.tell(messages.RenameSession{Session: sessionA, Name: "finder"})
	b.quiet()
	return b
}

// asksP1 has the agent ask for p1, which no rule decides.
func (b *bench) asksP1() {
	b.tell(b.out(asks("p1", "Bash")))
	b.tell(lookedAround{request: "p1", directory: &rules.Set{}})
}

// sentAbove returns what was sent to the session above since the bench was quiet.
func (b *bench) sentAbove() []Forwarded {
	var all []Forwarded
	for _, e := range b.effects {
		if s, ok := e.(sendToSession); ok {
			if m, ok := s.Message.(Forwarded); ok && s.Session == sessionB {
				all = append(all, m)
			}
		}
	}
	return all
}

// A subagent sends the session above what waits, behind the append, and what was decided.
func TestSubagentForwards(t *testing.T) {
	b := forwardingBench(t)
	b.asksP1()
	sent := b.sentAbove()
	if len(sent) != 1 || len(sent[0].Waiting) != 1 || sent[0].Waiting[0].ID() != messages.ForwardedID(sessionA, "p1") || sent[0].Waiting[0].Name != "finder" {
		t.Fatalf("sent %+v", sent)
	}
	b.quiet()
	b.tell(won(answer("ann", "p1", messages.AllowOnce)))
	sent = b.sentAbove()
	if len(sent) != 1 || len(sent[0].Waiting) != 0 || len(sent[0].Decided) != 1 || sent[0].Decided[0].DecidedBy != "ann" {
		t.Fatalf("sent %+v", sent)
	}
	b.quiet()
	b.tell(messages.AnswerWritten{Run: 1, Request: "p1"})
	if sent := b.sentAbove(); len(sent) != 0 {
		t.Errorf("sent %+v although nothing changed", sent)
	}
}

// A session that was restarted, and one whose own actor starts, get the list again; one that is deleted takes it back.
func TestForwardedIsSentAgain(t *testing.T) {
	b := forwardingBench(t)
	b.asksP1()
	b.quiet()
	for what, step := range map[string]func(){
		"asked by the session above": func() { b.tell(ForwardAgain{To: sessionB}) },
		"started again":              func() { b.crash() },
	} {
		b.quiet()
		if step(); len(b.sentAbove()) != 1 || len(b.sentAbove()[0].Waiting) != 1 {
			t.Errorf("%s: sent %+v", what, b.sentAbove())
		}
	}
	b.quiet()
	if b.tell(ForwardAgain{To: sessionC}); len(b.sentAbove()) != 0 {
		t.Errorf("sent to a session that is not above: %+v", b.sentAbove())
	}
	b.tell(messages.StopSession{Session: sessionA})
	b.tell(b.exit(0))
	b.quiet()
}

// Without a session above the subagent notifies people itself.
func TestNothingAbove(t *testing.T) {
	b := forwardingBench(t)
	b.asksP1()
	b.tell(NothingAbove{})
	b.quiet()
	b.tell(unwatchedDue{})
	if n := last[notifyPerson](b).event; n.Code != "PERMISSION_WAITS" || n.Session != sessionA {
		t.Errorf("notified of %+v", n)
	}
}

// A session shows what waits below to its clients without a number, replays it, and takes it back.
func TestForwardedIsShown(t *testing.T) {
	b := remembering(t)
	f := waitsBelow(sessionB, "p9")
	id := string(sessionB) + "~p9"
	b.on(Forwarded{From: sessionB, Waiting: []prompts.Forwarded{f}}, "all: request "+id)
	b.on(Forwarded{From: sessionB, Waiting: []prompts.Forwarded{f}})
	if got := b.state.replayPrompts(b.env()); len(got) != 1 {
		t.Errorf("a late client is shown %d requests", len(got))
	}
	if b.state.unneeded() {
		t.Error("its actor may go although a request is shown")
	}
	decided := f.PermissionRecord
	decided.Decision, decided.DecidedBy = messages.AllowOnce, "bob"
	b.on(Forwarded{From: sessionB, Decided: []messages.PermissionRecord{decided}}, "all: resolved "+id+" ALLOW_ONCE by bob")
	if len(b.state.replayPrompts(b.env())) != 0 {
		t.Error("a decided request is still shown")
	}
	b.on(Forwarded{From: sessionB, Waiting: []prompts.Forwarded{f}}, "all: request "+id)
	b.on(Forwarded{From: sessionB}, "all: resolved "+id+" PERMISSION_DECISION_UNSPECIFIED by agent")
}

// What waits two sessions below is sent on, whether the session between works or has ended.
func TestForwardedGoesOn(t *testing.T) {
	for _, status := range []messages.SubagentStatus{messages.SubagentRunning, messages.SubagentCompleted} {
		b := forwardingBench(t)
		b.state.record.Subagent.Status = status
		b.tell(Forwarded{From: sessionC, Waiting: []prompts.Forwarded{waitsBelow(sessionC, "p9")}})
		if sent := b.sentAbove(); len(sent) != 1 || sent[0].From != sessionA || sent[0].Waiting[0].ID() != messages.ForwardedID(sessionC, "p9") {
			t.Fatalf("%s: sent %+v", status, sent)
		}
		b.quiet()
		decided := waitsBelow(sessionC, "p9").PermissionRecord
		decided.Decision, decided.DecidedBy = messages.Deny, "bob"
		b.tell(Forwarded{From: sessionC, Decided: []messages.PermissionRecord{decided}})
		if sent := b.sentAbove(); len(sent) != 1 || len(sent[0].Decided) != 1 || sent[0].Decided[0].DecidedBy != "bob" {
			t.Errorf("%s: sent %+v", status, sent)
		}
	}
}

// An agent cannot give its own request the id of another agent's.
func TestForgedForwardedID(t *testing.T) {
	b := turning(t)
	b.tell(b.out(asks(string(sessionB)+"~p9", "Bash")))
	if b.state.prompts.Len() != 0 {
		t.Errorf("a person is asked: %v", b.quiet())
	}
}
