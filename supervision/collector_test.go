package supervision

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		live, roots, room int64
		want              int
	}{
		{32 << 20, 0, 32 << 20, 200},
		{8 << 20, 0, 32 << 20, 500},
		{8 << 20, 12 << 20, 32 << 20, 200}, // stacks are scanned as well: 40 MiB of garbage, not 100
		{64 << 20, 0, 32 << 20, 150},
		{64 << 20, 0, 0, 100},
		{0, 0, 32 << 20, 3200}, // before the first cycle
	} {
		if got := percentFor(heap{live: c.live, roots: c.roots}, c.room); got != c.want {
			t.Errorf("%d live, %d roots, room for %d: %d, want %d", c.live, c.roots, c.room, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b int
		want bool
	}{{100, 100, false}, {100, 109, false}, {109, 100, false}, {100, 111, true}, {111, 100, true}} {
		if differs(c.a, c.b) != c.want {
			t.Errorf("%d and %d: differs is %t", c.a, c.b, !c.want)
		}
	}
}

// Each cycle of the garbage collector sets the pace of the next one, until Close.
func TestCollectorFollowsCycles(t *testing.T) {
	t.Setenv("GOGC", "")
	c := PaceCollector(1 << 37) // more than any live heap
	defer c.Close()
	eventually(t, func() bool {
		runtime.GC()
		return gogc() > 10_000
	})
	first := gogc()
	c.mu.Lock()
	c.room *= 16
	c.mu.Unlock()
	eventually(t, func() bool {
		runtime.GC()
		return gogc() > first
	})
	if c.Close(); gogc() != defaultPercent {
		t.Errorf("after Close: GOGC=%d", gogc())
	}
	runtime.GC()
	runtime.GC()
	if gogc() != defaultPercent {
		t.Errorf("after Close and two cycles: GOGC=%d", gogc())
	}
}

func TestCollectorRespectsOperatorsGOGC(t *testing.T) {
	t.Setenv("GOGC", "100")
	c := PaceCollector(Room)
	if c != nil {
		t.Error("PaceCollector overrode the operator's GOGC")
	}
	c.Close()
}

// An idle process returns its spare memory to the system and stops polling.
func TestCollectorReturnsSpareMemory(t *testing.T) {
	c := paceCollector(Room, 50*time.Millisecond)
	defer c.Close()
	polling := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.polling
	}
	for range 2 {
		func() {
			garbage := make([]byte, 4*worth)
			for i := range garbage {
				garbage[i] = 1 // touch the pages, so that the system maps them
			}
		}()
		runtime.GC() // a cycle since the last poll
		eventually(t, func() bool { return readHeap().spare < worth && !polling() })
	}
}

func gogc() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func eventually(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the condition was not met within a minute")
		}
	}
}
