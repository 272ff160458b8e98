package session

import (
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/control"
	"betcode/messages"
)

func TestForgedRequests(t *testing.T) {
	key := func(b *bench) string { return b.state.run.ControlKey }
	for _, test := range []struct {
		name  string
		id    func(b *bench) string
		alarm bool
	}{
		{"ours", func(b *bench) string { return control.ID(b.state.run, "barrier-x") }, false},
		{"no id", func(*bench) string { return "" }, true},
		{"another's", func(*bench) string { return "set-mode-1" }, true},
		{"signed with another key", func(b *bench) string { return "barrier-x." + control.Signature(key(b)+"x", "barrier-x") }, true},
		{"a signature of another name", func(b *bench) string { return "barrier-y." + control.Signature(key(b), "barrier-x") }, true},
	} {
		b := turning(t)
		answer := claude.ControlAnswered{Request: test.id(b), OK: true}
		b.tell(b.out(answer))
		if got := alarmed(b); slices.Contains(got, messages.ForgedRequest) != test.alarm {
			t.Errorf("%s: alarms %q", test.name, got)
		}
		b.quiet()
		b.crash()
		b.tell(b.adopted())
		b.quiet()
		b.tell(b.out(answer))
		if got := alarmed(b); !slices.Contains(got, messages.ForgedRequest) {
			t.Errorf("%s: an answer of before the crash counts twice", test.name)
		}
	}
}

// A message that the session never gave is an alarm when the agent takes it up.
func TestForgedInput(t *testing.T) {
	for _, test := range []struct {
		name  string
		item  claude.Item
		alarm bool
	}{
		{"ours", claude.InputState{Key: "k1", State: claude.Queued}, false},
		{"another's", claude.InputState{Key: "x", State: claude.Queued}, true},
		{"a prompt of the agent's own", claude.InputState{Key: "x", State: claude.Started}, false},
		{"its end", claude.InputState{Key: "x", State: claude.Completed}, false},
		{"a command", claude.CommandForged{Key: "x", Command: "touch x"}, true},
		{"an echo of ours that looks like one", claude.CommandForged{Key: "k1", Command: "touch x"}, false},
		{"a turn without a cause", claude.TurnEnded{Unasked: true}, true},
		{"a turn with one", claude.TurnEnded{}, false},
	} {
		b := turning(t)
		if !b.state.inputs.Has("k1") {
			t.Fatal("the turn has no message k1")
		}
		b.tell(b.out(test.item))
		if got := alarmed(b); slices.Contains(got, messages.ForgedInput) != test.alarm || b.state.frozen() != test.alarm {
			t.Errorf("%s: alarms %q, frozen %v", test.name, got, b.state.frozen())
		}
	}
	b := starting(t)
	b.tell(b.of("2.1.265"))
	b.tell(b.out(claude.TurnEnded{Unasked: true}))
	if got := alarmed(b); len(got) > 0 {
		t.Errorf("a version that names no causes: %q", got)
	}
}

// A message that is settled does not begin again. One that was never settled may, in
// another process, and the agent may queue and complete what it remembers.
func TestForgedRepeat(t *testing.T) {
	again := []claude.Item{heard("k1", claude.Queued), heard("k1", claude.Started)}
	for _, test := range []struct {
		name  string
		bench func() *bench
		items []claude.Item
		alarm bool
	}{
		{"a settled message begins again", func() *bench { return remembering(t) }, again, true},
		{"begins without a queue", func() *bench { return remembering(t) }, again[1:], true},
		{"a settled message that the agent remembers", func() *bench { return remembering(t) }, []claude.Item{heard("k1", claude.Queued), heard("k1", claude.Completed)}, false},
		{"the end of a settled message", func() *bench { return remembering(t) }, []claude.Item{heard("k1", claude.Completed)}, false},
		{"an unsettled message begins twice", func() *bench { return turning(t) }, again, false},
		{"a settled message after a crash of the actor", func() *bench {
			b := remembering(t)
			b.crash()
			b.quiet()
			return b
		}, again, true},
		{"an unsettled message after a crash of the actor", func() *bench {
			b := turning(t)
			b.crash()
			b.quiet()
			return b
		}, again, false},
		{"a message whose process has died", func() *bench {
			b := turning(t)
			b.tell(b.exit(137))
			b.tell(inTranscript(1))
			b.quiet()
			b.now = b.now.Add(time.Minute)
			b.tell(restartDue{b.state.record.Run})
			b.tell(b.up())
			b.quiet()
			if !b.state.inputs.Has("k1") {
				t.Fatal("the message is not given again")
			}
			return b
		}, again, false},
		{"the message of a turn that was cut off", func() *bench { return continuing(t) }, again[1:], false},
		{"the message of a turn that was cut off, after a crash of the actor", func() *bench {
			b := continuing(t)
			b.crash()
			b.quiet()
			return b
		}, again[1:], false},
		{"the message of a turn that was cut off twice", func() *bench {
			b := continuing(t)
			b.tell(b.exit(137))
			b.quiet()
			b.now = b.now.Add(time.Minute)
			b.tell(restartDue{b.state.record.Run})
			b.tell(b.up())
			b.quiet()
			return b
		}, again[1:], false},
		{"the message of a turn that goes on", func() *bench {
			b := continuing(t)
			b.tell(b.out(heard("k1", claude.Started), begun()))
			b.quiet()
			return b
		}, again[1:], true},
		{"the message of a turn that has ended", func() *bench {
			b := continuing(t)
			b.tell(b.out(heard("k1", claude.Started), begun(), finished("k1")))
			b.quiet()
			return b
		}, again[1:], true},
		{"a message whose turn is cancelled", func() *bench {
			b := turning(t)
			b.tell(messages.CancelTurn{Session: sessionA, Client: "ann"})
			b.quiet()
			return b
		}, again, false},
	} {
		b := test.bench()
		b.tell(b.out(test.items...))
		if got := alarmed(b); slices.Contains(got, messages.ForgedInput) != test.alarm || b.state.frozen() != test.alarm {
			t.Errorf("%s: alarms %q, frozen %v", test.name, got, b.state.frozen())
		}
	}
}

// continuing is a bench whose agent was killed in a turn and came back. Its transcript has
// the turn's message.
func continuing(t *testing.T) *bench {
	t.Helper()
	b := turning(t)
	b.tell(b.exit(137))
	b.tell(inTranscript(1, "k1"))
	b.quiet()
	b.now = b.now.Add(time.Minute)
	b.tell(restartDue{b.state.record.Run})
	b.tell(b.up())
	b.quiet()
	if b.state.inputs.Has("k1") || !b.state.record.Turn {
		t.Fatal("the turn is not continued")
	}
	return b
}
