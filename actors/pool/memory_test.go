package pool

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

const mebi = 1 << 20

// small returns settings of a pool of five agents with 100 MiB each, beside 50 MiB.
func small() *settings.Settings {
	return &settings.Settings{MaxAgents: 5, MaxWaiting: 2, MinFreeMemory: 50 * mebi, AgentMemory: 100 * mebi}
}

func TestAdmissionByMemory(t *testing.T) {
	s := New(small(), false, nil)
	for _, step := range []struct {
		at   time.Duration
		free int64 // MiB
		from string
		m    any
		want string
	}{
		{0, 260, "a", Want{Session: "a"}, "a: yes"},
		{0, 260, "b", Want{Session: "b"}, "b: yes"}, // the first one has not grown yet
		{0, 260, "c", Want{Session: "c"}, "c: wait memory"},
		{0, 260, "d", Want{Session: "d"}, "d: wait memory"},
		{0, 260, "e", Want{Session: "e"}, "e: no"},
		{memoryPoll, 260, "", wakeUp{}, ""},
		{memoryGrows, 240, "", wakeUp{}, "c: now"}, // the others have grown
		{memoryGrows, 240, "", Resting{Session: "a", Resting: true, Idle: true}, "park a"},
		{memoryGrows, 240, "", Release{"a"}, ""},
		{2 * memoryGrows, 149, "", wakeUp{}, ""},
		{2 * memoryGrows, 150, "", wakeUp{}, "d: now"},
		{2 * memoryGrows, 150, "", Resting{Session: "b", Resting: true, Idle: true}, ""},
		{2 * memoryGrows, 150, "e", Want{Session: "e"}, "e: wait, park b"},
		{2*memoryGrows + parkPatience, 150, "", wakeUp{}, "e: still memory"},
		{time.Hour, 0, "", wakeUp{}, "e: now"}, // the free memory is not known
	} {
		next, effects := s.Step(Env{At: dawn.Add(step.at), Free: step.free * mebi}, actor.NewPID("local", step.from), step.m)
		s = next
		if got := shortly(effects); got != step.want {
			t.Errorf("after %s with %d MiB, %T: %q, want %q", step.at, step.free, step.m, got, step.want)
		}
	}
}

// TestMemoryIsMeasuredAgain: a timer is set while a session waits for memory, and health and the queue report it.
func TestMemoryIsMeasuredAgain(t *testing.T) {
	s, now := New(small(), false, nil), Env{At: dawn, Free: mebi}
	if !s.Measures(Want{}) || s.Measures(Release{}) || New(&settings.Settings{MaxAgents: 1}, false, nil).Measures(Want{}) {
		t.Error("memory is measured for nothing, or not")
	}
	s, effects := s.Step(now, nil, Want{Session: "a"})
	var wake time.Duration
	var got report
	for _, e := range effects {
		switch e := e.(type) {
		case act.After:
			wake = e.Delay
		case report:
			got = e
		}
	}
	if wake != memoryPoll || !got.pool.LowMemory || got.queue.FreeMemory != mebi || got.queue.NeededMemory != 150*mebi || got.queue.Waiting[0].Reason != messages.SlotMemory {
		t.Errorf("the timer is due in %s; %+v", wake, got)
	}
	if !s.Measures(wakeUp{}) {
		t.Error("the timer measures nothing")
	}
	_, effects = s.Step(Env{At: dawn, Free: 150 * mebi}, nil, wakeUp{})
	if grants := shortly(effects[:1]); grants != ": now" {
		t.Errorf("with enough memory: %q", grants)
	}
}
