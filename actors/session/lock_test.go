package session

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
		return b
	}
	t.Run("a stream that only observes comes and goes under the holder's id", func(t *testing.T) {
		b := attached()
		spoof := observer("ann")
		spoof.Stream = "spoof"
		b.tell(spoof)
		b.tell(messages.Detach{Session: sessionA, Stream: "spoof"})
		b.quiet()
		b.on(input("bob", "k2"), "to bob: denied NO_INPUT_LOCK of ann")
		b.on(attach("ann", "a2"), "client a2 from 0", "to a2: attached at 7")
	})
	t.Run("the holder comes back", func(t *testing.T) {
		b := attached()
		b.on(attach("ann", "a2"), "client a2 from 0", "to a2: attached at 7")
		b.on(lockGraceOver{})
		b.on(input("bob", "k2"), "to bob: denied NO_INPUT_LOCK of ann")
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
		loaded := b.journal.Loaded()
		options := benchOptions.ownSettings()
		options.LockGrace = 0
		b.state = state{id: sessionA, options: options}
		b.handed = 0
		b.tell(loaded)
		b.tell(b.adopted())
		b.quiet()
		b.on(attach("bob", "b1"), `all: lock "bob"`, "client b1 from 0", "to b1: attached at 7")
		if r := b.journal.Record; r.Lock != "bob" || !r.UpdatedAt.Equal(before) {
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

// A daemon that ends in order ends the streams. The lock stays with its holder for the next daemon; what others had waits for
// nothing.
func TestInputLockAfterTheDaemonHasEnded(t *testing.T) {
	end := func(stream string) messages.Detach {
		return messages.Detach{Session: sessionA, Stream: stream, Draining: true}
	}
	b := remembering(t)
	b.tell(attach("ann", "a1"))
	b.tell(attach("ann", "a2"))
	b.tell(attach("bob", "b1"))
	b.quiet()
	b.on(end("a1"), "drop client a1")
	b.on(end("b1"), "drop client b1")
	b.on(end("a2"), "drop client a2")
	if r := b.journal.Record; r.Lock != "ann" {
		t.Errorf("the record names %q", r.Lock)
	}
	b.crash()
	b.tell(b.adopted())
	b.quiet()
	b.on(attach("bob", "b2"), "client b2 from 0", "to b2: attached at 7")
	b.on(input("bob", "k2"), "to bob: denied NO_INPUT_LOCK of ann")
	b.on(lockGraceOver{}, `all: lock ""`)
	b.on(take("bob"), `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
}
