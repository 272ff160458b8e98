package actors

import (
	"testing"

	"betcode/messages"
)

func TestInputLock(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.quiet()
	b.on(attach("ann", "a1"), `all: lock "ann"`, "client a1 from 0", "to a1: attached at 1")
	b.on(attach("bob", "b1"), "client b1 from 0", "to b1: attached at 1")
	b.on(observer("eve"), "client eve from 0", "to eve: attached at 1")
	b.on(input("bob", "k1"), "to bob: denied NO_INPUT_LOCK of ann")
	b.on(cancel("bob"), "to bob: denied NO_INPUT_LOCK of ann")
	b.on(messages.ChangeSettings{Session: sessionA, Client: "bob", Model: "haiku"}, "to bob: denied NO_INPUT_LOCK of ann")
	b.on(take("bob"), `to bob: lock granted false, holder "ann"`)
	b.on(release("bob"), `to bob: lock granted false, holder "ann"`)
	b.on(take("ann"), `to ann: lock granted true, holder "ann"`)
	b.on(release("ann"), `all: lock ""`, `to ann: lock granted true, holder ""`)
	b.on(take("bob"), `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	b.on(input("bob", "k1"), "all: 2 input k1", "to bob: input k1 is 2", "run 1: start with --session-id")
	b.on(input("ann", "k2"), "to ann: denied NO_INPUT_LOCK of bob")
}

// The lock of a client that has gone is free, and lost with its last stream.
func TestInputLockOfAClientThatHasGone(t *testing.T) {
	b := running(t) // ann has the lock, and never had a stream
	b.on(attach("bob", "b1"), "client b1 from 0", "to b1: attached at 3")
	b.on(take("bob"), `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	b.on(attach("bob", "b2"), "client b2 from 0", "to b2: attached at 3")
	b.on(messages.Detach{Session: sessionA, Stream: "b1"}, "drop client b1")
	b.on(input("ann", "k2"), "to ann: denied NO_INPUT_LOCK of bob")
	b.on(messages.ClientGone{Stream: "b2"}, "drop client b2", `all: lock ""`)
	b.on(input("ann", "k2"), "all: 4 input k2", `all: lock "ann"`, "to ann: input k2 is 4", "run 1: write k2")
	b.on(messages.Detach{Session: sessionA, Stream: "b2"})
}

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
			if s.cursor != c.cursor || s.head != 7 || s.stream != "b1" || !s.settled {
				t.Errorf("%+v", s)
			}
			if len(s.greeting) != 1 || showEvent(s.greeting[0]) != "info opus" {
				t.Errorf("greeted with %v", s.greeting)
			}
			prompts := ""
			for _, e := range s.prompts {
				prompts += showEvent(e)
			}
			if prompts != c.prompts {
				t.Errorf("prompted with %q", prompts)
			}
		})
	}
	b := asking(t)
	b.on(with(messages.HistoryFromSequence, 8), "to b1: out of range")
	if len(b.state.streams) != 0 {
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

// What is published tells whether there is anything to wait for.
func TestPublishedTellsWhetherItIsSettled(t *testing.T) {
	b := running(t)
	for _, c := range []struct {
		m    any
		want bool
	}{
		{b.out(took("k1")...), false},
		{b.out(asks("p1", "Bash")), true},
		{won(answer("ann", "p1", messages.AllowOnce)), false},
		{input("ann", "k2"), false},
	} {
		if out, ok := c.m.(agentOutput); ok {
			out.from = b.state.spool
			out.to = out.from + 10
			c.m = out
		}
		b.tell(c.m)
		if got := last[publish](b).settled; got != c.want {
			t.Errorf("%T: settled %v", c.m, got)
		}
		b.read = b.state.spool
		b.quiet()
	}
	b.tell(b.out(finished("k1", "k2")))
	if !last[publish](b).settled {
		t.Error("the turn is over and something is waited for")
	}
}

// The lock of a client that was attached when we crashed is kept for it for a
// while; then it is free.
func TestInputLockAfterACrash(t *testing.T) {
	attached := func() *bench {
		b := remembering(t)
		b.tell(attach("ann", "a1"))
		b.crash()
		b.tell(b.adopted())
		b.tell(attach("bob", "b1"))
		b.quiet()
		b.on(input("bob", "k2"), "to bob: denied NO_INPUT_LOCK of ann")
		b.on(take("bob"), `to bob: lock granted false, holder "ann"`)
		return b
	}
	t.Run("the holder comes back", func(t *testing.T) {
		b := attached()
		b.on(attach("ann", "a2"), "client a2 from 0", "to a2: attached at 7")
		b.on(lockGraceOver{})
		b.on(take("bob"), `to bob: lock granted false, holder "ann"`)
		b.on(messages.Detach{Session: sessionA, Stream: "a2"}, "drop client a2", `all: lock ""`)
		b.on(take("bob"), `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	})
	t.Run("it does not", func(t *testing.T) {
		b := attached()
		b.tell(messages.Detach{Session: sessionA, Stream: "b1"})
		if b.quiet(); b.state.idle() {
			t.Error("it would go, and the patience would begin anew")
		}
		b.on(lockGraceOver{}, `all: lock ""`)
		b.on(attach("bob", "b2"), `all: lock "bob"`, "client b2 from 0", "to b2: attached at 7")
	})
	t.Run("the crash was long ago", func(t *testing.T) {
		b := remembering(t)
		b.tell(attach("ann", "a1"))
		before := b.state.record.UpdatedAt
		loaded := b.journal.loaded()
		options := benchOptions
		options.lockGrace = 0
		b.state = sessionState{id: sessionA, options: options}
		b.handed = 0
		b.tell(loaded)
		b.tell(b.adopted())
		b.quiet()
		b.on(attach("bob", "b1"), `all: lock "bob"`, "client b1 from 0", "to b1: attached at 7")
		if r := b.journal.record; r.Lock != "bob" || !r.UpdatedAt.Equal(before) {
			t.Errorf("lock %q, updated %s", r.Lock, r.UpdatedAt)
		}
	})
	t.Run("nobody was attached", func(t *testing.T) {
		b := remembering(t) // ann has the lock, and no stream
		b.crash()
		b.tell(b.adopted())
		b.quiet()
		b.on(attach("bob", "b1"), `all: lock "bob"`, "client b1 from 0", "to b1: attached at 7")
	})
}
