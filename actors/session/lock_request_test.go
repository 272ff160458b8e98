package session

import (
	"testing"
	"time"

	"betcode/messages"
)

func refuseLock(client messages.ClientID) messages.RefuseLock {
	return messages.RefuseLock{Session: sessionA, Client: client}
}

// contested is a session that ann, bob and cid are attached to. ann holds the lock.
func contested(t tester) *bench {
	b := remembering(t)
	for _, name := range []messages.ClientID{"ann", "bob", "cid"} {
		b.tell(attach(name, string(name)+"1"))
	}
	b.quiet()
	return b
}

// pass lets time go by, and the session look at its lock as its timers would.
func (b *bench) pass(d time.Duration) {
	b.t.Helper()
	until := b.now.Add(d)
	for next := b.state.lock.Next(); !next.IsZero() && !next.After(until); next = b.state.lock.Next() {
		if wake := b.state.lock.wake; wake.IsZero() || wake.After(next) {
			b.t.Fatalf("something is due at %s, and the timer is set for %s", next, wake)
		}
		b.now = next
		b.tell(lockDue{b.state.lock.wake})
	}
	b.now = until
}

func (b *bench) after(d time.Duration, want ...string) {
	b.t.Helper()
	b.pass(d)
	b.expect(d.String(), want...)
}

// A requester gets the lock when the holder releases it, or does not respond within 10 s.
func TestInputLockIsAskedFor(t *testing.T) {
	t.Run("the holder gives it back", func(t *testing.T) {
		b := contested(t)
		b.on(take("bob"), `all: lock "ann" waiting bob asked by bob`)
		b.on(release("ann"), `all: lock "bob"`, `to bob: lock granted true, holder "bob"`, `to ann: lock granted true, holder "bob"`)
		b.on(input("ann", "k9"), "to ann: denied NO_INPUT_LOCK of bob")
	})
	t.Run("nobody answers", func(t *testing.T) {
		b := contested(t)
		b.on(take("bob"), `all: lock "ann" waiting bob asked by bob`)
		b.after(9 * time.Second)
		b.on(input("bob", "k9"), "to bob: denied NO_INPUT_LOCK of ann")
		b.after(time.Second, `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	})
	t.Run("writing is no answer", func(t *testing.T) {
		b := contested(t)
		b.on(take("bob"), `all: lock "ann" waiting bob asked by bob`)
		b.pass(5 * time.Second)
		b.tell(input("ann", "k9"))
		b.quiet()
		b.after(5*time.Second, `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	})
	t.Run("the holder refuses", func(t *testing.T) {
		b := contested(t)
		b.on(take("bob"), `all: lock "ann" waiting bob asked by bob`)
		b.on(take("cid"), `all: lock "ann" waiting bob cid asked by bob`)
		b.on(refuseLock("bob"), "to bob: wrong state of ann")
		b.on(refuseLock("ann"), `to bob: lock granted false, holder "ann", refused, place 1`,
			`to cid: lock granted false, holder "ann", refused, place 2`, `all: lock "ann" waiting bob cid`, `to ann: lock granted true, holder "ann"`)
		b.on(refuseLock("ann"), `to ann: lock granted true, holder "ann"`)
		b.after(time.Minute)
		b.on(messages.Detach{Session: sessionA, Stream: "ann1"}, "drop client ann1", `all: lock "bob" waiting cid`) // both waited on
		b.on(messages.Detach{Session: sessionA, Stream: "bob1"}, "drop client bob1", `all: lock "cid"`)
	})
	t.Run("several ask, one after the other gets it", func(t *testing.T) {
		b := contested(t)
		b.on(take("bob"), `all: lock "ann" waiting bob asked by bob`)
		b.pass(3 * time.Second)
		b.on(take("cid"), `all: lock "ann" waiting bob cid asked by bob`)
		b.after(7*time.Second, `all: lock "bob" waiting cid asked by cid`, `to bob: lock granted true, holder "bob"`)
		b.after(9 * time.Second)
		b.after(time.Second, `all: lock "cid"`, `to cid: lock granted true, holder "cid"`)
	})
	t.Run("a call is answered within 20 s, and the client waits on", func(t *testing.T) {
		b := contested(t)
		b.tell(take("bob"))
		b.pass(time.Second)
		b.tell(attach("dan", "dan1"))
		b.tell(take("cid"))
		b.tell(take("dan"))
		b.quiet()
		b.after(9*time.Second, `all: lock "bob" waiting cid dan asked by cid`, `to bob: lock granted true, holder "bob"`)
		b.after(10*time.Second, `all: lock "cid" waiting dan asked by dan`, `to cid: lock granted true, holder "cid"`)
		b.after(time.Second, `to dan: lock granted false, holder "cid", place 1`, `all: lock "cid" waiting dan`)
		b.on(release("cid"), `all: lock "dan"`, `to cid: lock granted true, holder "dan"`)
	})
	t.Run("a second request of one client counts once", func(t *testing.T) {
		b := contested(t)
		b.tell(take("bob"))
		b.quiet()
		b.on(take("bob"), `all: lock "ann" waiting bob asked by bob`)
		b.after(10*time.Second, `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	})
	t.Run("the requesting client leaves", func(t *testing.T) {
		b := contested(t)
		b.tell(take("bob"))
		b.quiet()
		b.on(messages.Detach{Session: sessionA, Stream: "bob1"}, "drop client bob1", `to bob: lock granted false, holder "ann"`, `all: lock "ann"`)
		b.after(time.Hour)
	})
	t.Run("a client without a stream is refused while another holds it", func(t *testing.T) {
		b := contested(t)
		b.on(take("dan"), "to dan: wrong state of ann") // at once, and without a question to ann
		b.after(10 * time.Second)
	})
	t.Run("an observer never gets it", func(t *testing.T) {
		b := contested(t)
		b.tell(observer("eve"))
		b.quiet()
		b.on(take("eve"), "to eve: wrong state")
		b.on(release("ann"), `all: lock ""`, `to ann: lock granted true, holder ""`)
		b.on(input("eve", "k9"), "to eve: denied NO_INPUT_LOCK")
	})
}

// The lock of a holder that has not written for 5 minutes is offered to the clients that wait for it.
func TestInputLockIsOffered(t *testing.T) {
	waited := func() *bench {
		b := contested(t)
		b.pass(time.Minute)
		b.tell(take("bob"))
		b.tell(take("cid"))
		b.pass(time.Second)
		b.tell(refuseLock("ann"))
		b.quiet()
		b.after(5*time.Minute - 2*time.Second)
		b.after(2*time.Second, `all: lock "ann" waiting bob cid offered to bob`)
		return b
	}
	t.Run("it is asked for", func(t *testing.T) {
		waited().on(take("bob"), `all: lock "bob" waiting cid`, `to bob: lock granted true, holder "bob"`)
	})
	t.Run("it is written", func(t *testing.T) {
		b := waited()
		b.tell(input("bob", "k9"))
		if said := b.quiet(); b.state.lock.Holder() != "bob" {
			t.Errorf("%q", said)
		}
	})
	t.Run("only who it is offered to may write", func(t *testing.T) {
		waited().on(input("cid", "k9"), "to cid: denied NO_INPUT_LOCK of ann")
	})
	t.Run("the holder writes", func(t *testing.T) {
		b := waited()
		b.tell(cancel("ann"))
		if said := b.quiet(); said[0] != `all: lock "ann" waiting bob cid` {
			t.Errorf("%q", said)
		}
		b.after(5*time.Minute - time.Second)
		b.after(time.Second, `all: lock "ann" waiting bob cid offered to bob`)
	})
	t.Run("nobody wants it any more", func(t *testing.T) {
		b := waited()
		b.after(10*time.Second, `all: lock "ann" waiting cid offered to cid`)
		b.after(10*time.Second, `all: lock "ann"`)
		b.after(time.Hour)
	})
	t.Run("no client waits", func(t *testing.T) {
		b := contested(t)
		b.after(time.Hour)
	})
}

// A holder that was attached when we crashed has its time to come back, and then to
// answer.
func TestInputLockIsAskedForAfterACrash(t *testing.T) {
	crashed := func() *bench {
		b := contested(t)
		b.crash()
		b.tell(b.adopted())
		b.tell(attach("bob", "bob2"))
		b.pass(2 * time.Second)
		b.quiet()
		b.on(take("bob"), `all: lock "ann" waiting bob asked by bob`)
		return b
	}
	t.Run("it does not come back", func(t *testing.T) {
		b := crashed()
		b.pass(8 * time.Second)
		b.on(lockGraceOver{}, `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	})
	t.Run("it comes back and refuses", func(t *testing.T) {
		b := crashed()
		b.pass(7 * time.Second)
		b.tell(attach("ann", "ann2"))
		b.quiet()
		b.after(9 * time.Second)
		b.on(refuseLock("ann"), `to bob: lock granted false, holder "ann", refused, place 1`, `all: lock "ann" waiting bob`, `to ann: lock granted true, holder "ann"`)
	})
	t.Run("it comes back and says nothing", func(t *testing.T) {
		b := crashed()
		b.pass(7 * time.Second)
		b.tell(attach("ann", "ann2"))
		b.quiet()
		b.after(10*time.Second, `all: lock "bob"`, `to bob: lock granted true, holder "bob"`)
	})
}

// Each waiting client gets an answer when the session ends.
func TestLockRequesterLearnsOfTheDeletion(t *testing.T) {
	b := contested(t)
	b.tell(take("bob"))
	b.quiet()
	b.tell(messages.DeleteSession{Session: sessionA})
	b.tell(b.exit(0))
	if said := b.quiet(); !contains(said, "to bob: not found SESSION_CLOSED") {
		t.Errorf("%q", said)
	}
	b = contested(t)
	b.tell(take("bob"))
	b.quiet()
	b.tell(EndAgent{})
	if said := b.quiet(); !contains(said, `to bob: lock granted false, holder "ann", place 1`) {
		t.Errorf("%q", said)
	}
}
