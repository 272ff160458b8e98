package supervision

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// Room is how much garbage a daemon may keep, in bytes, beside as much as is live. A
// small heap is collected often, and whatever allocates meanwhile is made to help:
// that, and not the disk, was what the slowest of a hundred events waited for
// (docs/performance.md).
const Room = 32 << 20

const (
	// quiet is how long nothing was collected when a daemon is taken for idle.
	quiet = 15 * time.Second
	// worth is how many bytes it takes to give some back then.
	worth = 8 << 20
)

// Collector sets the pace of the garbage collector: it comes when there are so many
// bytes of garbage, and what is not needed is given back when there is nothing to do. It
// has no goroutine, and no timer at rest: the collector's own cycles wake it.
type Collector struct {
	room  int64
	quiet time.Duration

	mu      sync.Mutex
	percent int    // GOGC as it was set
	cycles  uint64 // number of collections at the last poll
	look    *time.Timer
	looks   bool // that is running
	closed  bool
}

// PaceCollector begins to set the pace for this process, until [Collector.Close]. Where
// GOGC is set an operator has decided: then there is none, which may be closed as well.
func PaceCollector(room int64) *Collector {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	return paceCollector(room, quiet)
}

func paceCollector(room int64, quiet time.Duration) *Collector {
	c := &Collector{room: room, quiet: quiet, percent: defaultPercent}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look, c.looks = time.AfterFunc(quiet, c.giveBack), true
	c.watch()
	return c
}

// defaultPercent is GOGC as the runtime has it.
const defaultPercent = 100

// watch has the end of the next cycle told, by something that dies in it.
func (c *Collector) watch() {
	runtime.AddCleanup(&struct{ _ [64]byte }{}, (*Collector).cycled, c)
}

// cycled follows a cycle of the collector.
func (c *Collector) cycled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if percent := percentFor(readHeap().live, c.room); differs(percent, c.percent) {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	c.lookAgain()
	c.watch()
}

// lookAgain schedules the next poll of the memory that is in use.
func (c *Collector) lookAgain() {
	if !c.looks {
		c.looks = true
		c.look.Reset(c.quiet)
	}
}

// giveBack returns memory to the system if it has not been needed since the last poll.
func (c *Collector) giveBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.looks = false
	switch h := readHeap(); {
	case h.cycles != c.cycles:
		c.cycles = h.cycles
		c.lookAgain()
	case h.spare > worth:
		debug.FreeOSMemory() // a cycle as any other: it is looked once more
		c.cycles = readHeap().cycles
	}
}

// heap is what the runtime says of it.
type heap struct {
	cycles uint64 // of the collector
	live   int64  // bytes that the last one found in use
	spare  int64  // bytes that are garbage by now, or free
}

func readHeap() heap {
	samples := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	bytes := func(i int) int64 { return int64(samples[i].Value.Uint64()) } //nolint:gosec // there is not that much memory
	return heap{cycles: samples[0].Value.Uint64(), live: bytes(1), spare: bytes(2) + bytes(3) - bytes(1)}
}

// percentFor is the GOGC with which the next cycle comes after as much garbage as is
// live, and room.
func percentFor(live, room int64) int {
	return defaultPercent + int(defaultPercent*room/max(live, 1<<20))
}

// differs reports whether a change is worth the moment for which it stops the world.
func differs(a, b int) bool { return 5*a > 6*b || 5*b > 6*a }

// Close leaves the collector to the runtime.
func (c *Collector) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.look.Stop()
	debug.SetGCPercent(defaultPercent)
}
