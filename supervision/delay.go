package supervision

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

const (
	// delayedPercent lets a heap grow to 64 MiB before the first collection: the runtime begins at 4 MiB for 100 %.
	delayedPercent = 1600
	// delay is the longest time before the first collection.
	delay = 10 * time.Second
)

// delayed is set while the first collection of this process is delayed.
var delayed atomic.Bool

// DelayCollection delays the first garbage collection of this process. A command that ends within milliseconds needs
// none, and a collection would take a tenth of its time. After the first collection, or after ten seconds, the
// runtime's default applies. DelayCollection does nothing if the operator has set GOGC.
func DelayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	delayed.Store(true)
	debug.SetGCPercent(delayedPercent)
	timer := time.AfterFunc(delay, func() { endDelay() })
	runtime.AddCleanup(&struct{ _ [64]byte }{}, func(t *time.Timer) {
		t.Stop()
		endDelay()
	}, timer)
}

// endDelay restores the runtime's default, if the first collection was delayed and GOGC was not set since.
func endDelay() {
	if delayed.CompareAndSwap(true, false) {
		debug.SetGCPercent(defaultPercent)
	}
}
