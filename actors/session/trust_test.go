package session

import (
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/messages"
)

// looks are the comparisons among effects.
func looks(effects []act.Effect) int {
	n := 0
	for _, e := range effects {
		if _, ok := e.(lookTrust); ok {
			n++
		}
	}
	return n
}

// agentTold reports whether the agent is told to end among effects.
func agentTold(effects []act.Effect) bool {
	return slices.ContainsFunc(effects, func(e act.Effect) bool {
		to, ok := e.(sendToRun)
		_, stop := to.message.(run.Stop)
		return ok && stop
	})
}

// guardState is a session whose agent was started with a guard, with a message to give.
func guardState(mode messages.GuardMode) state {
	s := state{
		id: "s", durable: durability{loaded: true}, exists: true,
		options: Options{OwnRules: true}, announced: announcements{trust: "before"},
		agent:  agentView{agentLife: agentLife{up: true, guard: messages.Guard{Mode: mode, Digest: "before"}}},
		record: messages.SessionRecord{ID: "s", Run: 1, WorkingDirectory: "/p"},
		run:    &messages.RunRecord{Session: "s", Run: 1, State: messages.RunRunning},
		inputs: []messages.InputRecord{{Key: "00000000-0000-4000-8000-000000000001", Content: "hello"}},
	}
	s.slot.Hold()
	return s
}

// What follows when the content of a directory is compared before a message.
func TestTrustLooked(t *testing.T) {
	off, quiet, strict := messages.GuardOff, messages.GuardQuiet, messages.GuardStrict
	for _, test := range []struct {
		name       string
		was, is    messages.GuardMode
		turn       bool
		background []string
		err        bool
		replaced   bool // the agent
		told       bool // people
		ask        []string
	}{
		{name: "still trusted", was: off, is: off},
		{name: "lost", was: off, is: strict, replaced: true},
		{name: "lost in a turn", was: off, is: strict, turn: true, replaced: true},
		{name: "nobody knows", was: off, is: off, err: true, replaced: true},
		{name: "everything removed", was: off, is: quiet},
		{name: "gained", was: strict, is: off, replaced: true},
		{name: "gained in a turn", was: strict, is: off, turn: true},
		{name: "gained beside a task", was: strict, is: off, background: []string{"t"}},
		{name: "appeared", was: quiet, is: strict, told: true},
		{name: "changed again", was: strict, is: strict, told: true},
		{name: "nothing there", was: quiet, is: quiet},
		{name: "git runs programs now", was: quiet, is: strict, ask: []string{"Bash(git *)"}, replaced: true},
	} {
		s := guardState(test.was)
		s.record.Turn, s.record.Background, s.agent.working = test.turn, test.background, test.turn
		now := env{at: time.Unix(1, 0), id: func() string { return "id" }, chance: func() float64 { return 0 }}
		tr := begin(s, now)
		tr.deliver()
		s, effects := tr.finish()
		if (looks(effects) == 0) != test.turn {
			t.Errorf("%s: %d comparisons", test.name, looks(effects))
		}
		s.agent.trust.Look(false, false) // after a tool call, in a turn
		tr = begin(s, now)
		m := trustLooked{run: 1, fresh: true, guard: messages.Guard{Mode: test.is, Digest: "after", Ask: test.ask}}
		if test.err {
			m.err = messages.Errorf("x", messages.Internal, "x")
		}
		tr.trustLooked(m)
		tr.reconcile()
		if got := agentTold(tr.after); got != test.replaced || tr.s.ending.Restart != test.replaced {
			t.Errorf("%s: replaced: %v", test.name, got)
		}
		if told := len(tr.append.Events) > 0; told != test.told {
			t.Errorf("%s: told: %v", test.name, told)
		}
		if !test.replaced && tr.s.hasUndelivered() {
			t.Errorf("%s: the message is not given", test.name)
		}
	}
}

// What was compared after a tool call is compared again when a message comes.
func TestTrustIsOldAfterATurn(t *testing.T) {
	s := guardState(messages.GuardOff)
	s.inputs = nil
	s.agent.trust.Look(false, false)
	now := env{at: time.Unix(1, 0), id: func() string { return "id" }, chance: func() float64 { return 0 }}
	tr := begin(s, now)
	tr.trustLooked(trustLooked{run: 1, guard: messages.Guard{Mode: messages.GuardOff, Digest: "after"}})
	s, _ = tr.finish()
	s.inputs = guardState(messages.GuardOff).inputs
	tr = begin(s, now)
	tr.deliver()
	s, effects := tr.finish()
	if looks(effects) != 1 || !s.hasUndelivered() {
		t.Errorf("%d comparisons, and the message was given: %v", looks(effects), !s.hasUndelivered())
	}
}

// An agent takes skills of directories below its own while it works.
func TestTrustOfNestedSkills(t *testing.T) {
	s := guardState(messages.GuardOff)
	s.inputs, s.record.Turn, s.agent.working = nil, true, true
	now := env{at: time.Unix(1, 0), id: func() string { return "id" }, chance: func() float64 { return 0 }}
	look := func(do func(*transition)) (searched []bool) {
		tr := begin(s, now)
		do(tr)
		var effects []act.Effect
		s, effects = tr.finish()
		for _, e := range effects {
			if l, ok := e.(lookTrust); ok {
				searched = append(searched, l.Search)
			}
		}
		return searched
	}
	done, changed := []claude.Item{claude.ToolDone{ID: "t"}}, []claude.Item{claude.CommandsChanged{}}
	trusted := trustLooked{run: 1, guard: messages.Guard{Mode: messages.GuardOff}}
	for _, step := range []struct {
		name string
		do   func(*transition)
		want []bool
	}{
		{"a call ends", func(t *transition) { t.watchTrust(done) }, []bool{false}},
		{"then commands change", func(t *transition) { t.watchTrust(changed) }, nil},
		{"the comparison has ended", func(t *transition) { t.trustLooked(trusted) }, []bool{true}},
		{"the search has ended", func(t *transition) { t.trustLooked(trusted) }, nil},
		{"commands change", func(t *transition) { t.watchTrust(changed) }, []bool{true}},
		{"a daemon adopts the agent", func(t *transition) { t.guarded(messages.ProcessStarted{Adopted: true}) }, nil},
		{"the next call ends", func(t *transition) { t.watchTrust(done) }, []bool{true}},
	} {
		if got := look(step.do); !slices.Equal(got, step.want) {
			t.Errorf("%s: searches %v, want %v", step.name, got, step.want)
		}
	}
	s.agent.guard.Mode = messages.GuardQuiet
	s.agent.trust.Looked()
	if got := look(func(t *transition) { t.watchTrust(changed) }); got != nil {
		t.Errorf("an agent that obeys nothing: %v", got)
	}
}
