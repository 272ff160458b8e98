package pool

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"pgregory.net/rapid"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// shortly writes the effects of a pool in short form, without those for health.
func shortly(effects []act.Effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case act.Reply:
			words = append(words, fmt.Sprintf("%s: %s", e.To.GetId(), shown(e.With)))
		case ToSession:
			if e.Message == (Park{}) {
				words = append(words, fmt.Sprintf("park %s", e.Session))
				continue
			}
			words = append(words, fmt.Sprintf("%s: %s", e.Session, shown(e.Message)))
		}
	}
	return strings.Join(words, ", ")
}

// shown is the short name of a message of the pool.
func shown(m any) string {
	switch m := m.(type) {
	case Answer:
		word := map[Place]string{Admitted: "yes", Queued: "wait", Full: "no"}[m.Place]
		if m.Waits.Reason != messages.SlotSoon {
			word += " " + string(m.Waits.Reason)
		}
		return word
	case Waits:
		return "still " + string(m.Reason)
	case Granted:
		return "now"
	case Stopped:
		return "stopped"
	}
	return fmt.Sprintf("%T", m)
}

// dawn is when the tests begin.
var dawn = time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)

func TestPool(t *testing.T) {
	want := func(id messages.SessionID) Want { return Want{Session: id} }
	for name, steps := range map[string][]struct {
		from string
		m    any
		want string
	}{
		"first come, first served": {
			{"a", want("a"), "a: yes"},
			{"b", want("b"), "b: wait busy"},
			{"c", want("c"), "c: wait busy"},
			{"d", want("d"), "d: no"},
			{"", Release{"a"}, "b: now"},
			{"", Release{"b"}, "c: now"},
		},
		"who rests longest is parked when somebody waits": {
			{"a", want("a"), "a: yes"},
			{"", Resting{Session: "a", Resting: true}, ""},
			{"b", want("b"), "b: wait, park a"},
			{"c", want("c"), "c: wait busy"},
			{"", Release{"a"}, "b: now"},
		},
		"limits change, and every session keeps its slot or place": {
			{"a", want("a"), "a: yes"},
			{"b", want("b"), "b: wait busy"},
			{"", settings.Changed{Now: limits(2, 1)}, "b: now"},
			{"", settings.Changed{Now: limits(1, 1)}, ""},
			{"c", want("c"), "c: wait busy"},
			{"d", want("d"), "d: no"},
			{"", Release{"a"}, ""},
			{"", Release{"b"}, "c: now"},
		},
		"who works again is not parked": {
			{"a", want("a"), "a: yes"},
			{"", Resting{Session: "a", Resting: true}, ""},
			{"", Resting{Session: "a", Resting: false}, ""},
			{"b", want("b"), "b: wait busy"},
			{"", Resting{Session: "a", Resting: true}, "park a"},
		},
		"an adopted agent may exceed the limit": {
			{"", Taken{Session: "a"}, ""}, {"", Taken{Session: "b"}, ""}, {"c", want("c"), "c: wait busy"}, {"", Release{"a"}, ""}, {"", Release{"b"}, "c: now"},
		},
		"a session that goes leaves the queue": {
			{"a", want("a"), "a: yes"}, {"b", want("b"), "b: wait busy"}, {"c", want("c"), "c: wait busy"}, {"", Release{"b"}, ""}, {"", Release{"a"}, "c: now"},
		},
		"a stopped fleet takes every slot and grants none": {
			{"a", want("a"), "a: yes"},
			{"b", want("b"), "b: wait busy"},
			{"", Stop{}, "a: stopped, b: still fleet_stopped"},
			{"a", Release{"a"}, ""},
			{"a", want("a"), "a: wait fleet_stopped"},
			{"c", want("c"), "c: no"}, // the queue is full, with the session whose slot was taken
			{"", Resume{}, "b: now, a: still busy"},
			{"b", Release{"b"}, "a: now"},
		},
		"an agent that is adopted by a stopped fleet is ended": {
			{"", Stop{}, ""},
			{"a", Taken{Session: "a"}, "a: stopped"},
		},
		"sessions of people come before subagents": {
			{"a", want("a"), "a: yes"},
			{"b", Want{Session: "b", Subagent: true}, "b: wait busy"},
			{"c", want("c"), "c: wait busy"},
			{"", Release{"a"}, "c: now"},
			{"", Release{"c"}, "b: now"},
		},
		"who has a slot keeps it": {{"a", want("a"), "a: yes"}, {"a", want("a"), "a: yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(limits(1, 2), false, nil)
			for _, step := range steps {
				next, effects := s.Step(Env{At: dawn}, actor.NewPID("local", step.from), step.m)
				s = next
				if got := shortly(effects); got != step.want {
					t.Errorf("%T: %q, want %q", step.m, got, step.want)
				}
			}
		})
	}
}

// TestPoolNeverExceedsItsLimit: in any order of requests and releases, no more slots
// are granted than there are, and no session is forgotten.
func TestPoolNeverExceedsItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(limits(rapid.IntRange(1, 4).Draw(t, "limit"), 3), false, nil)
		for range 60 {
			id := messages.SessionID(rapid.StringMatching("[a-f]").Draw(t, "session"))
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				asked := false
				for _, w := range s.waiting {
					asked = asked || w.session == id
				}
				if !asked {
					s, _ = s.Step(Env{At: dawn}, nil, Want{Session: id})
				}
			case 1:
				s, _ = s.Step(Env{At: dawn}, nil, Release{id})
			case 2:
				if s.Uses(id) {
					s, _ = s.Step(Env{At: dawn}, nil, Resting{Session: id, Resting: rapid.Bool().Draw(t, "rests")})
				}
			}
			if len(s.used) > s.settings.MaxAgents {
				t.Fatalf("%d slots of %d", len(s.used), s.settings.MaxAgents)
			}
			if len(s.waiting) > 0 && len(s.used) < s.settings.MaxAgents {
				t.Fatalf("%d wait beside a free slot", len(s.waiting))
			}
		}
	})
}

func TestPoolNamesThoseWhoWait(t *testing.T) {
	s := New(limits(1, 5), false, nil)
	s, _ = s.Step(Env{At: dawn}, nil, Want{Session: "a"})
	s, _ = s.Step(Env{At: dawn}, nil, Asking{"a", true})
	_, effects := s.Step(Env{At: dawn}, nil, Want{Session: "b"})
	if got := effects[0].(act.Reply).With; got != any(Answer{Place: Queued, Waits: Waits{Reason: messages.SlotBusy, Asking: "a"}}) {
		t.Errorf("b gets %v", got)
	}
	s, _ = s.Step(Env{At: dawn}, nil, Release{"a"})
	if s.askers() != "" {
		t.Errorf("%s still waits for a person", s.askers())
	}
}

// limits returns settings with a number of agents and of waiting sessions.
func limits(agents, waiting int) *settings.Settings {
	return &settings.Settings{MaxAgents: agents, MaxWaiting: waiting}
}
