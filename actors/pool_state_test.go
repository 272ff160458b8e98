package actors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"pgregory.net/rapid"

	"betcode/messages"
)

func newPool(limit, queue int) poolState {
	return poolState{limit: limit, queue: queue, used: map[messages.SessionID]bool{}, parking: map[messages.SessionID]bool{}, asking: map[messages.SessionID]bool{}}
}

// said writes what a pool wants done in a few words; health is left out.
func said(effects []effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case reply:
			words = append(words, fmt.Sprintf("%s: %s", e.to.GetId(), map[any]string{
				slotAnswer{place: slotYes}: "yes", slotAnswer{place: slotWaiting}: "wait", slotAnswer{place: slotNo}: "no", slotGranted{}: "now",
			}[e.with]))
		case tellOne:
			words = append(words, fmt.Sprintf("park %s", e.session))
		}
	}
	return strings.Join(words, ", ")
}

func TestPool(t *testing.T) {
	want := func(id messages.SessionID) slotWanted { return slotWanted{id} }
	for name, steps := range map[string][]struct {
		from string
		m    any
		want string
	}{
		"first come, first served": {
			{"a", want("a"), "a: yes"},
			{"b", want("b"), "b: wait"},
			{"c", want("c"), "c: wait"},
			{"d", want("d"), "d: no"},
			{"", slotFreed{"a"}, "b: now"},
			{"", slotFreed{"b"}, "c: now"},
		},
		"who rests longest is parked when somebody waits": {
			{"a", want("a"), "a: yes"},
			{"", agentRests{"a", true}, ""},
			{"b", want("b"), "b: wait, park a"},
			{"c", want("c"), "c: wait"},
			{"", slotFreed{"a"}, "b: now"},
		},
		"limits change, and nobody loses what they have": {
			{"a", want("a"), "a: yes"},
			{"b", want("b"), "b: wait"},
			{"", poolLimits{2, 1}, "b: now"},
			{"", poolLimits{1, 1}, ""},
			{"c", want("c"), "c: wait"},
			{"d", want("d"), "d: no"},
			{"", slotFreed{"a"}, ""},
			{"", slotFreed{"b"}, "c: now"},
		},
		"who works again is not parked": {
			{"a", want("a"), "a: yes"},
			{"", agentRests{"a", true}, ""},
			{"", agentRests{"a", false}, ""},
			{"b", want("b"), "b: wait"},
			{"", agentRests{"a", true}, "park a"},
		},
		"an adopted agent may exceed the limit": {
			{"", slotTaken{"a"}, ""}, {"", slotTaken{"b"}, ""}, {"c", want("c"), "c: wait"}, {"", slotFreed{"a"}, ""}, {"", slotFreed{"b"}, "c: now"},
		},
		"a session that goes leaves the queue": {
			{"a", want("a"), "a: yes"}, {"b", want("b"), "b: wait"}, {"c", want("c"), "c: wait"}, {"", slotFreed{"b"}, ""}, {"", slotFreed{"a"}, "c: now"},
		},
		"who has a slot keeps it": {{"a", want("a"), "a: yes"}, {"a", want("a"), "a: yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPool(1, 2)
			for _, step := range steps {
				next, effects := s.step(actor.NewPID("local", step.from), step.m)
				s = next
				if got := said(effects); got != step.want {
					t.Errorf("%T: %q, want %q", step.m, got, step.want)
				}
			}
		})
	}
}

// TestPoolNeverExceedsItsLimit: whatever is asked and given back, no more slots
// are granted than there are, and nobody is forgotten.
func TestPoolNeverExceedsItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newPool(rapid.IntRange(1, 4).Draw(t, "limit"), 3)
		for range 60 {
			id := messages.SessionID(rapid.StringMatching("[a-f]").Draw(t, "session"))
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				asked := false
				for _, w := range s.waiting {
					asked = asked || w.session == id
				}
				if !asked {
					s, _ = s.step(nil, slotWanted{id})
				}
			case 1:
				s, _ = s.step(nil, slotFreed{id})
			case 2:
				if s.used[id] {
					s, _ = s.step(nil, agentRests{id, rapid.Bool().Draw(t, "rests")})
				}
			}
			if len(s.used) > s.limit {
				t.Fatalf("%d slots of %d", len(s.used), s.limit)
			}
			if len(s.waiting) > 0 && len(s.used) < s.limit {
				t.Fatalf("%d wait beside a free slot", len(s.waiting))
			}
		}
	})
}
