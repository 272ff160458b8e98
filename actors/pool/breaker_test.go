package pool

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// timed is a message to a pool at a time, and the effects that it causes.
type timed struct {
	at   time.Duration // since dawn
	from string
	m    any
	want string
}

// play sends messages to a pool at their times.
func play(t *testing.T, s State, moments []timed) State {
	t.Helper()
	for _, step := range moments {
		next, effects := s.Step(Env{At: dawn.Add(step.at), Chance: 0.5}, actor.NewPID("local", step.from), step.m)
		s = next
		if got := shortly(effects); got != step.want {
			t.Errorf("after %s, %T: %q, want %q", step.at, step.m, got, step.want)
		}
	}
	return s
}

func limited(session messages.SessionID, account string, d time.Duration) Limited {
	return Limited{Session: session, Account: account, Kind: "five_hour", Until: dawn.Add(d)}
}

func TestLimits(t *testing.T) {
	want := func(id messages.SessionID) Want { return Want{Session: id} }
	for name, moments := range map[string][]timed{
		"a limit parks new turns until it ends, and leaves those that run": {
			{0, "a", want("a"), "a: yes"},
			{0, "b", want("b"), "b: yes"},
			{0, "", Resting{Session: "b", Resting: true, Idle: true}, ""},
			{time.Minute, "", limited("a", "", time.Hour), "park b"},
			{time.Minute, "b", Release{"b"}, ""},
			{2 * time.Minute, "b", want("b"), "b: wait rate_limit"},
			{59 * time.Minute, "", wakeUp{}, ""},
			{time.Hour, "", wakeUp{}, "b: now"},
		},
		"an agent that becomes idle is parked": {
			{0, "a", want("a"), "a: yes"},
			{0, "", limited("a", "", time.Hour), ""},
			{0, "", Resting{Session: "a", Resting: true, Idle: true}, "park a"},
		},
		"an agent that waits for a person is not": {
			{0, "a", want("a"), "a: yes"},
			{0, "", limited("a", "", time.Hour), ""},
			{0, "", Resting{Session: "a", Resting: true}, ""},
		},
		"other accounts go on, and pass those that wait": {
			{0, "a", want("a"), "a: yes"},
			{0, "", limited("a", "", time.Hour), ""},
			{0, "b", want("b"), "b: wait rate_limit"},
			{0, "c", Want{Session: "c", Account: "/other"}, "c: yes"},
		},
		"a session that waits for a slot gets the limit": {
			{0, "a", want("a"), "a: yes"},
			{0, "b", want("b"), "b: yes"},
			{0, "c", want("c"), "c: yes"},
			{0, "d", want("d"), "d: wait busy"},
			{0, "", limited("a", "", time.Hour), "d: still rate_limit"},
			{0, "", limited("b", "", 2*time.Hour), ""},
			{time.Hour, "", wakeUp{}, ""},
		},
		"a person ends it": {
			{0, "", limited("a", "", time.Hour), ""},
			{0, "b", want("b"), "b: wait rate_limit"},
			{time.Minute, "", Resume{}, "b: now"},
		},
		"starts after it are spread": {
			{0, "", limited("z", "", time.Hour), ""},
			{0, "a", want("a"), "a: wait rate_limit"},
			{0, "b", want("b"), "b: wait rate_limit"},
			{time.Hour, "", wakeUp{}, ""},
			{time.Hour, "c", want("c"), "c: wait rate_limit"},
			{time.Hour + 250*time.Millisecond, "", wakeUp{}, "a: now"},
			{time.Hour + 251*time.Millisecond, "", wakeUp{}, ""},
			{time.Hour + 750*time.Millisecond, "", wakeUp{}, "b: now, c: now"},
		},
		"a queue that is full refuses": {
			{0, "", limited("z", "", time.Hour), ""},
			{0, "a", want("a"), "a: wait rate_limit"},
			{0, "b", want("b"), "b: wait rate_limit"},
			{0, "c", want("c"), "c: wait rate_limit"},
			{0, "d", want("d"), "d: no"},
		},
		"a limit that is over is none": {
			{0, "", limited("z", "", 0), ""},
			{0, "", limited("z", "", -time.Hour), ""},
			{0, "a", want("a"), "a: yes"},
		},
		"a limit that is far away parks for six hours": {
			{0, "", limited("z", "", 1000*time.Hour), ""},
			{0, "a", want("a"), "a: wait rate_limit"},
			{6*time.Hour - time.Second, "", wakeUp{}, ""},
			{6 * time.Hour, "", wakeUp{}, "a: now"},
		},
		"the reports of one session park the others for a bounded time, and a second session extends it": {
			{0, "", limited("z", "", 1000*time.Hour), ""},
			{6 * time.Hour, "", limited("z", "", 1000*time.Hour), ""}, // a quarter of six hours is regained
			{6 * time.Hour, "a", want("a"), "a: wait rate_limit"},
			{7*time.Hour + 30*time.Minute, "", wakeUp{}, "a: now"},
			{7*time.Hour + 30*time.Minute, "", limited("a", "", 8*time.Hour), ""},
			{7*time.Hour + 30*time.Minute, "b", want("b"), "b: wait rate_limit"},
		},
	} {
		t.Run(name, func(t *testing.T) { play(t, New(limits(3, 3), false, nil), moments) })
	}
}

// TestHostileLimits: with any reports of one session, the others run for more than half of the time.
func TestHostileLimits(t *testing.T) {
	s, parked := New(limits(3, 3), false, nil), 0
	const minutes = 10 * 24 * 60
	for minute := range minutes {
		now := Env{At: dawn.Add(time.Duration(minute) * time.Minute)}
		s, _ = s.Step(now, nil, Limited{Session: "z", Until: now.At.Add(1000 * time.Hour)})
		now.At = now.At.Add(30 * time.Second)
		if s.breaker.holds(now, "") {
			parked++
		}
	}
	if parked > minutes/2 || parked == 0 {
		t.Errorf("%d of %d minutes are parked", parked, minutes)
	}
}

// A limit that an earlier daemon stored holds until its end. A stored limit with an impossible end is dropped.
func TestLimitsOfAnEarlierDaemon(t *testing.T) {
	s := New(limits(3, 3), false, []messages.FleetLimit{
		{Session: "z", Since: dawn.Add(-time.Hour), Until: dawn.Add(30 * time.Second)},
		{Account: "/other", Session: "y", Until: dawn.Add(maxPark + time.Hour)},
	})
	s, effects := s.Step(Env{At: dawn}, nil, wakeUp{})
	var kept []messages.FleetLimit
	var wake time.Duration
	for _, e := range effects {
		switch e := e.(type) {
		case keepLimits:
			kept = e.limits
		case act.After:
			wake = e.Delay
		}
	}
	if len(kept) != 1 || kept[0].Session != "z" || wake != 30*time.Second {
		t.Errorf("kept %v, the timer is due in %s", kept, wake)
	}
	play(t, s, []timed{
		{0, "b", Want{Session: "b", Account: "/other"}, "b: yes"},
		{time.Second, "a", Want{Session: "a"}, "a: wait rate_limit"},
		{30 * time.Second, "", wakeUp{}, "a: now"},
	})
}

// TestSlowParking: a session gets the reason of its wait when the agent that is parked for it does not end.
func TestSlowParking(t *testing.T) {
	play(t, New(limits(1, 3), false, nil), []timed{
		{0, "a", Want{Session: "a"}, "a: yes"},
		{0, "", Resting{Session: "a", Resting: true, Idle: true}, ""},
		{0, "b", Want{Session: "b"}, "b: wait, park a"},
		{parkPatience - 1, "", wakeUp{}, ""},
		{parkPatience, "", wakeUp{}, "b: still busy"},
	})
	play(t, New(limits(1, 3), false, nil), []timed{
		{0, "a", Want{Session: "a"}, "a: yes"},
		{0, "", Resting{Session: "a", Resting: true, Idle: true}, ""},
		{0, "b", Want{Session: "b"}, "b: wait, park a"},
		{0, "", Resting{Session: "a"}, "b: still busy"}, // a message came first
	})
}
