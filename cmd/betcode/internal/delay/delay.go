// Package delay delays the first garbage collection of a process. A command that ends within milliseconds needs none, and a
// collection would take a tenth of its time.
//
// The delay begins while the program is initialized: the packages of the program allocate enough to start a collection there. Go
// initializes packages in the order of their import paths once their imports are initialized, so this package imports little. The
// delay ends with the first collection, after ten seconds, or with [End]. There is no delay if the operator has set GOGC.
package delay

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

const (
	// percent lets a heap grow to 64 MiB before the first collection: the runtime begins at 4 MiB for 100 %.
	percent = 1600
	// usual is the runtime's default of GOGC.
	usual = 100
	// most is the longest time before the first collection.
	most = 10 * time.Second
)

// delayed is set while the first collection of this process is delayed.
var delayed atomic.Bool

func init() { begin() }

// begin delays the first collection.
func begin() {
	if os.Getenv("GOGC") != "" {
		return
	}
	delayed.Store(true)
	debug.SetGCPercent(percent)
	timer := time.AfterFunc(most, End)
	runtime.AddCleanup(&struct{ _ [64]byte }{}, func(t *time.Timer) {
		t.Stop()
		End()
	}, timer)
}

// End restores the runtime's default, if the first collection is delayed. A process that paces its collector calls it before.
func End() {
	if delayed.CompareAndSwap(true, false) {
		debug.SetGCPercent(usual)
	}
}
