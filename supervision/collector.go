package supervision

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// Room is how much garbage a daemon may have above its live heap before a collection starts, in
// bytes. Without it a small heap is collected often, and goroutines that allocate during a cycle
// have to assist. These assists, and not the disk, caused the p99 latency of events
// (docs/performance.md).
const Room = 32 << 20

const (
	// quiet is the time without a cycle after which the daemon counts as idle.
	quiet = 15 * time.Second
	// worth is the least number of spare bytes that an idle daemon returns to the system.
	worth = 8 << 20
)

// Collector sets the pace of the garbage collector. A cycle starts after [Room] bytes of
// garbage above the live heap, and an idle daemon returns spare memory to the system. A
// Collector has no goroutine, and no running timer in an idle daemon: the cycles of the
// garbage collector wake it.
type Collector struct {
	room  int64
	quiet time.Duration

	mu      sync.Mutex
	percent int    // GOGC as last set
	cycles  uint64 // number of collections at the last poll
	timer   *time.Timer
	polling bool // timer is running
	closed  bool
}

// PaceCollector sets the pace of this process until [Collector.Close]; room is in bytes. GOGC must be the
// default of the runtime. It returns nil if the operator has set GOGC; Close of nil does nothing.
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
	c.timer, c.polling = time.AfterFunc(quiet, c.returnSpare), true
	c.watch()
	return c
}

// defaultPercent is the runtime's default of GOGC.
const defaultPercent = 100

// watch arranges a call of cycled after the next cycle: it allocates an object without references,
// whose cleanup is cycled.
func (c *Collector) watch() {
	runtime.AddCleanup(&struct{ _ [64]byte }{}, (*Collector).cycled, c)
}

// cycled adjusts GOGC after a cycle of the garbage collector, and schedules the next poll.
func (c *Collector) cycled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if percent := percentFor(readHeap(), c.room); differs(percent, c.percent) {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	c.schedulePoll()
	c.watch()
}

// schedulePoll schedules the next poll, unless one is scheduled. The caller holds mu.
func (c *Collector) schedulePoll() {
	if !c.polling {
		c.polling = true
		c.timer.Reset(c.quiet)
	}
}

// returnSpare returns spare memory to the system if no cycle has run since the last poll.
func (c *Collector) returnSpare() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.polling = false
	switch h := readHeap(); {
	case h.cycles != c.cycles:
		c.cycles = h.cycles
		c.schedulePoll()
	case h.spare > worth:
		debug.FreeOSMemory() // runs a cycle, so cycled schedules one more poll
		c.cycles = readHeap().cycles
	}
}

// heap is a sample of the runtime's metrics.
type heap struct {
	cycles uint64 // cycles of the garbage collector so far
	live   int64  // bytes that the last cycle found in use
	roots  int64  // bytes of stacks and globals that the last cycle scanned
	spare  int64  // bytes that are free, or became garbage since the last cycle
}

func readHeap() heap {
	samples := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/scan/stack:bytes"},
		{Name: "/gc/scan/globals:bytes"},
	}
	metrics.Read(samples)
	bytes := func(i int) int64 { return int64(samples[i].Value.Uint64()) } //nolint:gosec // there is not that much memory
	return heap{cycles: samples[0].Value.Uint64(), live: bytes(1), roots: bytes(4) + bytes(5), spare: bytes(2) + bytes(3) - bytes(1)}
}

// percentFor returns the GOGC with which the next cycle starts after h.live + room bytes of garbage. The runtime
// applies GOGC to live heap and roots, so the divisor is the sum of both: with hundreds of goroutines the stacks are
// larger than the live heap, and without them in the divisor the heap grew by half.
func percentFor(h heap, room int64) int {
	return int(defaultPercent * (h.live + room) / max(h.live+h.roots, 1<<20))
}

// differs reports whether a and b differ by more than 10 %. Setting GOGC stops the world, so smaller changes are skipped.
func differs(a, b int) bool { return 10*a > 11*b || 10*b > 11*a }

// Close restores the runtime's default of GOGC.
func (c *Collector) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.timer.Stop()
	debug.SetGCPercent(defaultPercent)
}
