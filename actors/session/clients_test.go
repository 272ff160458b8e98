package session

import (
	"fmt"
	"slices"
	"testing"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/actortest"
	"betcode/actors/run"
	"betcode/actors/session/events"
	"betcode/messages"
)

func TestForcedCancellationNeedsNoLock(t *testing.T) {
	b := turning(t)
	b.tell(attach("ann", "a1"))
	b.quiet()
	forced := cancel("bob")
	forced.Force = true
	b.on(forced, "run 1: interrupt", "to bob: canceling, active true")
}

// What an attaching client is told of the past.
func TestAttach(t *testing.T) {
	with := func(h messages.History, from messages.Seq) messages.Attach {
		a := attach("bob", "b1")
		a.History, a.From = h, from
		return a
	}
	for _, c := range []struct {
		name    string
		attach  messages.Attach
		cursor  messages.Seq
		prompts string
	}{
		{"everything", with(messages.HistoryFull, 0), 0, "request p1 again"},
		{"from a number", with(messages.HistoryFromSequence, 4), 4, "request p1 again"},
		{"from the head", with(messages.HistoryFromSequence, 7), 7, "request p1 again"},
		{"what is undecided", with(messages.HistoryPendingOnly, 0), 7, "request p1 again"},
		{"nothing", with(messages.HistoryNone, 0), 7, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := asking(t)
			b.tell(c.attach)
			s := last[spawnClient](b).state
			if s.Cursor != c.cursor || s.Head != 7 || s.Stream != "b1" || s.Progress != messages.Awaiting {
				t.Errorf("%+v", s)
			}
			greeted := ""
			for _, e := range s.Greeting {
				greeted += actortest.ShowEvent(e) + ", "
			}
			if greeted != `info opus, lock "ann", , ` { // and who is there
				t.Errorf("greeted with %v", greeted)
			}
			prompts := ""
			for _, e := range s.Prompts {
				prompts += actortest.ShowEvent(e)
			}
			if prompts != c.prompts {
				t.Errorf("prompted with %q", prompts)
			}
		})
	}
	b := asking(t)
	b.on(with(messages.HistoryFromSequence, 8), "to b1: out of range")
	if b.state.clients.Streams() != 0 {
		t.Error("a refused stream is attached")
	}
}

// A stream is made when everything that it is told of is on disk; what comes
// later is published to it.
func TestAttachWaitsForTheDisk(t *testing.T) {
	b := running(t)
	b.manual = true
	b.on(input("ann", "k2"))
	b.on(attach("bob", "b1"))
	b.on(input("ann", "k3"))
	b.commit()
	b.expect("the first commit", "all: 4 input k2", "to ann: input k2 is 4", "run 1: write k2", "client b1 from 0", "to b1: attached at 4")
	b.commit()
	b.expect("the second commit", "all: 5 input k3", "to ann: input k3 is 5", "run 1: write k3")
}

func TestSettings(t *testing.T) {
	change := messages.ChangeSettings{Session: sessionA, Client: "ann", Model: "haiku", PermissionMode: "plan"}
	b := newBench(t)
	b.tell(start("ann"))
	b.quiet()
	b.on(change, `all: lock "ann"`, "to ann: done")
	b.tell(input("ann", "k1"))
	argv := last[spawnRun](b).record.Argv
	b.quiet()
	for _, want := range []string{"haiku", "plan"} {
		if !contains(argv, want) {
			t.Errorf("%s is not among %q", want, argv)
		}
	}
	change.Model = "sonnet"
	change.PermissionMode = ""
	b.on(change, "run 1: control set_model", "to ann: done") // waits in the run until the agent is there
	if r := b.state.record; r.Model != "sonnet" || r.PermissionMode != "plan" {
		t.Errorf("%+v", r)
	}
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

func TestRename(t *testing.T) {
	b := remembering(t)
	b.on(messages.RenameSession{Session: sessionA, Name: "better"}, "to op: done")
	if b.state.record.Name != "better" {
		t.Errorf("%+v", b.state.record)
	}
}

// The actor may go when nobody watches and nothing is left to do.
func TestRetiring(t *testing.T) {
	b := remembering(t)
	b.tell(attach("bob", "b1"))
	b.quiet()
	b.on(messages.Detach{Session: sessionA, Stream: "b1"}, "drop client b1") // the agent stays warm
	if b.state.idle() {
		t.Error("it would go although its agent is there")
	}
	b.on(b.exit(0), "all: 7 run 1 exited", "drop run 1", "retire")
	if !b.state.idle() {
		t.Error("it has something to do")
	}
	b.tell(attach("bob", "b2"))
	if b.state.idle() {
		t.Error("it would go although somebody watches")
	}
	b.tell(messages.Detach{Session: sessionA, Stream: "b2"})
	b.manual = true
	b.tell(messages.RenameSession{Session: sessionA, Name: "x"})
	if b.state.idle() {
		t.Error("it would go with an append under way")
	}
}

// A turn that waits for its next run keeps the actor, even without a message.
func TestNotRetiringDuringABackoff(t *testing.T) {
	b := remembering(t)
	b.tell(attach("bob", "b1"))
	b.tell(b.out(begun()))
	b.tell(b.exit(137))
	b.quiet()
	b.on(messages.Detach{Session: sessionA, Stream: "b1"}, "drop client b1")
	if b.state.idle() {
		t.Error("the backoff would be forgotten")
	}
	b.on(restartDue{1}, "run 2: start with --resume in a turn")
}

// Everything that is published carries the progress of the session.
func TestPublishedCarriesProgress(t *testing.T) {
	b := running(t)
	for _, c := range []struct {
		m    any
		want messages.Progress
	}{
		{b.out(took("k1")...), messages.Working},
		{b.out(asks("p1", "Bash")), messages.Awaiting},
		{won(answer("ann", "p1", messages.AllowOnce)), messages.Working},
		{input("ann", "k2"), messages.Working},
	} {
		if out, ok := c.m.(run.Output); ok {
			out.From = b.state.cursor.Offset
			out.To = out.From + 10
			c.m = out
		}
		b.tell(c.m)
		if got := last[publish](b).progress; got != c.want {
			t.Errorf("%T: progress %v", c.m, got)
		}
		b.read = b.state.cursor.Offset
		b.quiet()
	}
	b.tell(b.out(finished("k1", "k2")))
	if got := last[publish](b).progress; got != messages.Quiescent {
		t.Errorf("after the turn: progress %v", got)
	}
}

// A change of progress that no event carries is published by itself, before the answers.
func TestProgressIsPublishedWithoutAnEvent(t *testing.T) {
	b := running(t)
	tr := begin(b.state, b.env())
	tr.then(act.Reply{To: nil, With: messages.Done{}})
	tr.s.inputs, tr.s.record.Turn = nil, false
	_, effects := tr.finish()
	var got []string
	for _, e := range effects {
		switch e := e.(type) {
		case publish:
			got = append(got, fmt.Sprintf("publish %d events, progress %d", len(e.events), e.progress))
		case act.Reply:
			got = append(got, "reply")
		}
	}
	want := []string{fmt.Sprintf("publish 0 events, progress %d", messages.Quiescent), "reply"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	tr = begin(b.state, b.env())
	tr.publishUnnumbered(events.Status(pb.AgentStatus_IDLE, ""))
	tr.s.inputs, tr.s.record.Turn = nil, false
	if _, effects = tr.finish(); len(effects) != 1 || effects[0].(publish).progress != messages.Quiescent {
		t.Errorf("an event that was published before the change: %+v", effects)
	}
}
