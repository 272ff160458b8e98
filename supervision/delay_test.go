package supervision

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// percent returns the present GOGC.
func percent() int {
	now := debug.SetGCPercent(defaultPercent)
	debug.SetGCPercent(now)
	return now
}

// The first collection ends the delay.
func TestDelayEndsWithACollection(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Cleanup(endDelay)
	DelayCollection()
	if percent() != delayedPercent {
		t.Fatalf("GOGC is %d", percent())
	}
	for deadline := time.Now().Add(time.Minute); percent() != defaultPercent; runtime.Gosched() {
		runtime.GC()
		if time.Now().After(deadline) {
			t.Fatalf("GOGC is %d after collections", percent())
		}
	}
}

// PaceCollector ends the delay; a later collection changes nothing.
func TestDelayEndsWithAPace(t *testing.T) {
	t.Setenv("GOGC", "")
	DelayCollection()
	PaceCollector(Room).Close()
	if delayed.Load() || percent() != defaultPercent {
		t.Errorf("delayed %v, GOGC %d", delayed.Load(), percent())
	}
}

// The operator's setting stays.
func TestDelayLeavesTheOperatorsPace(t *testing.T) {
	t.Setenv("GOGC", "200")
	before := percent()
	DelayCollection()
	if delayed.Load() || percent() != before {
		t.Errorf("delayed %v, GOGC %d", delayed.Load(), percent())
	}
}
