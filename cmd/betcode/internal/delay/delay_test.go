package delay

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// gogc returns the present GOGC.
func gogc() int {
	now := debug.SetGCPercent(usual)
	debug.SetGCPercent(now)
	return now
}

// The first collection ends the delay.
func TestDelayEndsWithACollection(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Cleanup(End)
	begin()
	if gogc() != percent {
		t.Fatalf("GOGC is %d", gogc())
	}
	for deadline := time.Now().Add(time.Minute); gogc() != usual; runtime.Gosched() {
		runtime.GC()
		if time.Now().After(deadline) {
			t.Fatalf("GOGC is %d after collections", gogc())
		}
	}
}

// After End a later collection changes nothing.
func TestDelayEndsWithAPace(t *testing.T) {
	t.Setenv("GOGC", "")
	begin()
	End()
	const own = 345
	debug.SetGCPercent(own)
	defer debug.SetGCPercent(usual)
	runtime.GC()
	End()
	if delayed.Load() || gogc() != own {
		t.Errorf("delayed %v, GOGC %d", delayed.Load(), gogc())
	}
}

// The operator's setting stays.
func TestDelayLeavesTheOperatorsPace(t *testing.T) {
	t.Setenv("GOGC", "200")
	End()
	before := gogc()
	begin()
	if delayed.Load() || gogc() != before {
		t.Errorf("delayed %v, GOGC %d", delayed.Load(), gogc())
	}
}
