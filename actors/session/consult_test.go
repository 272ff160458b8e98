package session

import (
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// The agent dies in the middle of a turn that its transcript does not know: it
// is started again after a backoff and gets the same message with the same uuid.
func TestCrashInATurnThatWasNotSaved(t *testing.T) {
	b := turning(t)
	b.on(b.exit(137), "all: 6 run 1 exited", "drop run 1", "look for k1 in the transcript")
	b.on(inTranscript(1), "all: 7 "+crashedEvent, "in 500ms session.restartDue")
	if r := b.state.record; r.Turn || r.Phase != messages.PhaseActive || b.state.inputs[0].State != messages.InputAccepted {
		t.Errorf("%+v, inputs %+v", r, b.state.inputs)
	}
	b.now = b.now.Add(time.Second)
	b.on(restartDue{1}, "run 2: "+resumedRun)
	b.on(b.up(), "all: 8 run 2 started", "run 2: write k1")
	b.on(b.out(took("k1")...))
	b.on(b.out(finished("k1")), "all: 9 IDLE")
	if len(b.state.inputs) != 0 {
		t.Errorf("unsettled: %v", b.state.inputs)
	}
}

// One that it knows is continued, and the message is not given again.
func TestCrashInATurnThatWasSaved(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(137))
	b.quiet()
	b.on(inTranscript(1, "k1"), "all: 7 "+crashedEvent, "in 500ms session.restartDue")
	if r := b.state.record; !r.Turn || r.Phase != messages.PhaseActive || len(b.state.inputs) != 0 {
		t.Errorf("%+v, inputs %+v", r, b.state.inputs)
	}
	b.on(restartDue{1}, "run 2: "+resumedRun+" in a turn")
	b.on(b.up(), "all: 8 run 2 started", "in 1m0s session.continuationDue")
	b.on(b.out(heard("another", claude.Started), begun()))
	b.on(continuationDue{2})
	b.on(b.out(finished("k1")), "all: 9 IDLE")
}

// What was queued or folded in is looked for as well, and what was only written:
// the agent may have been killed between taking it in and saying so.
func TestWhichMessagesAreLookedFor(t *testing.T) {
	b := turning(t)
	b.tell(input("ann", "k2"))
	b.tell(b.out(heard("k2", claude.Queued), heard("k2", claude.Started)))
	b.tell(input("ann", "k3"))
	b.tell(b.out(heard("k3", claude.Queued)))
	b.tell(input("ann", "k4"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k4"})
	b.quiet()
	b.on(b.exit(137), "all: 9 run 1 exited", "drop run 1", "look for k1 k2 k3 k4 in the transcript")
	b.tell(inTranscript(1, "k1", "k2"))
	b.tell(restartDue{1})
	b.quiet()
	b.on(b.up(), "all: 11 run 2 started", "in 1m0s session.continuationDue", "run 2: write k3", "run 2: write k4")
}

// While the transcript is read everything else goes on.
func TestWhileTheTranscriptIsRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     any
		want  []string
		after []string
	}{
		{"a message", input("ann", "k2"), []string{"all: 7 input k2", "to ann: input k2 is 7"}, []string{"all: 8 " + crashedEvent, "in 500ms session.restartDue"}},
		{"a cancellation", cancel("ann"), []string{"all: 7 notice INPUT_DROPPED, 8 turn cancelled, 9 IDLE", "to ann: canceling, active true"}, []string{"all: 10 " + crashedEvent}},
		{"a stop", messages.StopSession{Session: sessionA}, []string{"all: 7 notice INPUT_DROPPED, 8 turn cancelled, 9 IDLE", "to op: stopped, was running false", "retire"}, []string{"all: 10 " + crashedEvent}},
		{"the daemon's end", EndAgent{}, []string{"to daemon: ended"}, nil},
		{"a deletion", messages.DeleteSession{Session: sessionA}, []string{"all: error SESSION_CLOSED", "to op: done", "forget /runs/" + string(sessionA), "retire"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := turning(t)
			b.tell(b.exit(137))
			b.quiet()
			b.on(c.m, c.want...)
			b.on(inTranscript(1), c.after...)
			b.on(inTranscript(1))
		})
	}
}

// A session that is rebuilt meanwhile asks again.
func TestTranscriptIsReadAgainByARebuiltSession(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(137))
	b.quiet()
	b.crash()
	b.expect("the crash", "look for k1 in the transcript")
	b.on(inTranscript(1, "k1"), "run 2: "+resumedRun+" in a turn")
}

// A message that the agent never acknowledged, but remembers: it is not given
// again, and the turn it belongs to is continued. Found by the crash harness.
func TestInputInTheTranscriptWithoutAReport(t *testing.T) {
	b := running(t)
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.manual = true
	b.deliver(nil, b.exit(137))
	for len(b.waiting) > 0 {
		b.commit()
	}
	b.manual, b.looked = false, nil
	b.quiet()
	b.tell(inTranscript(1, "k1"))
	if r := b.state.record; !r.Turn || len(b.state.inputs) != 0 {
		t.Errorf("%+v, inputs %+v", r, b.state.inputs)
	}
}
