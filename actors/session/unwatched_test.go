package session

import (
	"testing"

	"betcode/messages"
)

// notifications lists the codes that a person was notified of since the last look.
func (b *bench) notifications() (codes []string) {
	for _, e := range b.effects {
		if n, ok := e.(notify); ok {
			codes = append(codes, n.event.Code)
		}
	}
	b.quiet()
	return codes
}

// watchedAsk is a session that bob watches while p1 is asked.
func watchedAsk(t tester) *bench {
	b := turning(t)
	b.tell(attach("bob", "s1"))
	b.tell(b.out(asks("p1", "Bash")))
	if told := b.notifications(); len(told) != 0 {
		t.Fatalf("notified of %v although bob watches", told)
	}
	return b
}

func TestNotificationIsSentWhenTheLastWatcherLeaves(t *testing.T) {
	leave := messages.Detach{Session: sessionA, Stream: "s1"}
	b := watchedAsk(t)
	b.tell(leave)
	if told := b.notifications(); len(told) != 0 {
		t.Errorf("before the grace is over: %v", told)
	}
	b.tell(unwatchedDue{})
	if told := b.notifications(); len(told) != 1 || told[0] != "PERMISSION_WAITS" {
		t.Errorf("after the grace: %v", told)
	}
	b.tell(unwatchedDue{})
	b.tell(b.out())
	if told := b.notifications(); len(told) != 0 {
		t.Errorf("notified twice: %v", told)
	}
	b.tell(attach("bob", "s2")) // has seen it; when he leaves it is new again
	b.tell(messages.Detach{Session: sessionA, Stream: "s2"})
	b.tell(unwatchedDue{})
	if told := b.notifications(); len(told) != 1 {
		t.Errorf("after bob came and left: %v", told)
	}
}

func TestWatcherThatReconnectsIsNoDeparture(t *testing.T) {
	b := watchedAsk(t)
	b.tell(messages.Detach{Session: sessionA, Stream: "s1"})
	b.tell(attach("bob", "s2"))
	b.tell(unwatchedDue{})
	if told := b.notifications(); len(told) != 0 {
		t.Errorf("notified of %v", told)
	}
}

// An observer, or a client that may not answer, does not watch for a person.
func TestObserverDoesNotWatch(t *testing.T) {
	b := turning(t)
	b.tell(observer("o1"))
	b.tell(b.out(asks("p1", "Bash")))
	if told := b.notifications(); len(told) != 1 {
		t.Errorf("with an observer attached: %v", told)
	}
	b = watchedAsk(t)
	b.tell(observer("o1"))
	b.tell(messages.Detach{Session: sessionA, Stream: "s1"})
	b.tell(unwatchedDue{})
	if told := b.notifications(); len(told) != 1 {
		t.Errorf("with an observer left: %v", told)
	}
}

// A daemon that died took its watchers with it: the next one judges again.
func TestNextDaemonNotifies(t *testing.T) {
	b := watchedAsk(t)
	b.crash()
	b.tell(unwatchedDue{})
	if told := b.notifications(); len(told) != 1 {
		t.Errorf("notified of %v", told)
	}
}
