package session

import (
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/session/requests"
	"betcode/messages"
)

func onceOf(r messages.SessionRequest, digest string) messages.Idempotent {
	return messages.Idempotent{Key: "u1", Digest: []byte(digest), Request: r}
}

// A call under a key is carried out once; its answer is in the append that makes it
// true.
func TestCallUnderAKeyIsCarriedOutOnce(t *testing.T) {
	b := remembering(t)
	rename := messages.RenameSession{Session: sessionA, Name: "better"}
	b.on(onceOf(rename, "x"), "to op: done")
	kept, there := b.journal.Answered["u1"]
	if !there || string(kept.Digest) != "x" {
		t.Fatalf("kept %+v", kept)
	}
	b.on(messages.RenameSession{Session: sessionA, Name: "best"}, "to op: done")
	b.on(onceOf(rename, "x"), "to op: done")
	if name := b.state.record.Name; name != "best" {
		t.Errorf("it is called %s", name)
	}
	b.on(onceOf(rename, "y"), "to op: invalid IDEMPOTENCY_KEY_USED")
}

// An answer that takes its time is kept when it comes.
func TestCallUnderAKeyThatTakesTime(t *testing.T) {
	b := remembering(t)
	b.tell(onceOf(messages.StopSession{Session: sessionA}, "x"))
	if _, there := b.journal.Answered["u1"]; there {
		t.Error("an answer is kept before it is given")
	}
	b.tell(b.exit(0))
	if said := b.quiet(); !contains(said, "to op: stopped, was running true") {
		t.Fatalf("%q", said)
	}
	got, err := requests.Decode(b.journal.Answered["u1"].Answer)
	if stopped, ok := got.(messages.SessionStopped); err != nil || !ok || !stopped.WasRunning {
		t.Errorf("kept %+v, %v", got, err)
	}
	b.on(onceOf(messages.StopSession{Session: sessionA}, "x"), "to op: stopped, was running true")
	if b.state.ledger.Waiting() > 0 {
		t.Errorf("%d calls wait", b.state.ledger.Waiting())
	}
}

// A refusal is not kept: the call may be made again.
func TestRefusedCallUnderAKey(t *testing.T) {
	b := contested(t)
	denied := cancel("bob")
	m := messages.Idempotent{Key: "u1", Digest: []byte("x"), Request: denied}
	b.on(m, "to op: denied NO_INPUT_LOCK of ann")
	if len(b.journal.Answered) > 1 { // that of the first message
		t.Errorf("kept %+v", b.journal.Answered)
	}
}

// Only people and turns move a session up the list that clients continue from.
func TestWhatCountsAsUse(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(*bench)
		used    bool
	}{
		"a message":           {func(b *bench) { b.tell(messages.SendInput{Session: sessionA, Client: "ann", Key: "k9", Content: "hi"}) }, true},
		"a new name":          {func(b *bench) { b.tell(messages.RenameSession{Session: sessionA, Name: "n"}) }, true},
		"a turn":              {func(b *bench) { b.tell(b.out(claude.TurnStarted{})) }, true},
		"the end of a turn":   {func(b *bench) { b.tell(b.out(claude.TurnEnded{})) }, true},
		"the end of a run":    {func(b *bench) { b.tell(messages.RunEnded{Run: b.state.record.Run}) }, false},
		"parking":             {func(b *bench) { b.tell(pool.Park{}) }, false},
		"a background task":   {func(b *bench) { b.tell(b.out(claude.BackgroundTasks{IDs: []string{"x"}})) }, false},
		"a client":            {func(b *bench) { b.tell(attach("bob", "b9")) }, false},
		"the agent's request": {func(b *bench) { b.tell(b.out(claude.ControlAsked{Request: "r", Subtype: "x"})) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := remembering(t)
			b.quiet()
			before := b.state.record.UpdatedAt
			b.now = b.now.Add(time.Hour)
			test.happens(b)
			b.quiet()
			if used := !b.state.record.UpdatedAt.Equal(before); used != test.used {
				t.Errorf("used: %v, want %v", used, test.used)
			}
		})
	}
}
