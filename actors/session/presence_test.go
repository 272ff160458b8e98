package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/actortest"
	"betcode/messages"
)

// told returns what was published of who came and left, since somebody looked.
func (b *bench) told() []string {
	var words []string
	for _, e := range b.effects {
		if p, ok := e.(publish); ok {
			for _, event := range p.events {
				if word := showPresence(event); word != "" {
					words = append(words, word)
				}
			}
		}
	}
	b.quiet()
	return words
}

func showPresence(e messages.Event) string {
	var event pb.AgentEvent
	if err := proto.Unmarshal(e.Bytes, &event); err != nil || event.GetPresence() == nil {
		return ""
	}
	p := event.GetPresence()
	var words []string
	for _, c := range p.GetAttached() {
		word := "+" + c.GetClientId()
		if c.GetObserver() {
			word += " watching"
		}
		if c.GetType() != "" {
			word += " by " + c.GetType()
		}
		words = append(words, word)
	}
	for _, id := range p.GetDetached() {
		words = append(words, "-"+id)
	}
	if p.GetComplete() {
		words = append(words, "no more")
	}
	return fmt.Sprintf("%s of %d", strings.Join(words, ", "), p.GetTotal())
}

func TestPresence(t *testing.T) {
	b := remembering(t)
	b.quiet()
	step := func(m any, want string) {
		t.Helper()
		b.now = b.now.Add(time.Second)
		b.tell(m)
		if got := strings.Join(b.told(), "; "); got != want {
			t.Errorf("%T: %q, want %q", m, got, want)
		}
	}
	web := attach("bob", "bob1")
	web.Type = "flutter"
	watching := observer("bob")
	watching.Stream, watching.Type = "bob2", "flutter"
	step(attach("ann", "ann1"), "+ann of 1")
	step(watching, "+bob watching by flutter of 2")
	step(attach("ann", "ann2"), "") // the same client once more
	step(web, "+bob by flutter of 2")
	step(messages.Detach{Session: sessionA, Stream: "ann1"}, "+ann of 2") // since later
	step(messages.Detach{Session: sessionA, Stream: "bob1"}, "+bob watching by flutter of 2")
	step(messages.Detach{Session: sessionA, Stream: "bob1"}, "") // told twice
	step(messages.Detach{Session: sessionA, Stream: "ann2"}, "-ann of 1")

	b.tell(attach("cid", "cid1"))
	s := last[spawnClient](b).state
	if got := showPresence(s.Greeting[2]); got != "+bob watching by flutter, +cid, no more of 2" {
		t.Errorf("a newcomer is told %q", got)
	}
	view := b.state.view()
	if len(view.Attached) != 2 || view.Attached[0].Client != "bob" || !view.Attached[0].Since.Equal(dawn.Add(2*time.Second)) {
		t.Errorf("the view has %+v", view.Attached)
	}
}

// A stream that was too slow is told how it stands when it has caught up.
func TestCaughtUpStreamGetsWhatItMissed(t *testing.T) {
	b := contested(t)
	b.on(messages.ClientCaughtUp{Stream: "bob1"}, "tell bob1")
	b.tell(messages.ClientCaughtUp{Stream: "bob1"})
	e := last[sendToStream](b).events
	if len(e) != 2 || actortest.ShowEvent(e[0]) != `lock "ann"` || showPresence(e[1]) != "+ann, +bob, +cid, no more of 3" {
		t.Errorf("%v", e)
	}
	b.quiet()
	b.on(messages.ClientCaughtUp{Stream: "gone"})
}

// notifications lists the codes that a person was notified of since the last look.
func (b *bench) notifications() (codes []string) {
	for _, e := range b.effects {
		if n, ok := e.(notifyPerson); ok {
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
