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
	// delay is how long a process may live without a collection.
	delay = 10 * time.Second
)

// delayed is set while the first collection of this process is put off.
var delayed atomic.Bool

// DelayCollection puts the first garbage collection of this process off, because a command that ends within milliseconds needs
// none: it would be a tenth of its time. From the first collection on, or after ten seconds, the pace is that of the runtime. It does
// nothing if the operator has set GOGC.
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

// endDelay returns to the pace of the runtime, if the first collection was put off and nothing has set the pace since.
func endDelay() {
	if delayed.CompareAndSwap(true, false) {
		debug.SetGCPercent(defaultPercent)
	}
}
