//go:build linux

package bench

import (
	"testing"
	"time"
)

// What a daemon without work may cost.
const (
	idleWindow   = 6 * time.Second
	idleMemory   = 40 << 20 // bytes of anonymous memory
	idleTicks    = 1        // none is expected; a tick may fall on anybody
	idleSwitches = 60       // ten a second: far below any timer, far above what was seen

	// On a busy machine work that was begun before may take several windows. Periodic work shows in
	// every window.
	idleWindows = 20
)

// TestIdle: a daemon with a warm agent and three clients, all of them quiet,
// needs no processor and little memory.
func TestIdle(t *testing.T) {
	t.Parallel()
	r := newRig(t, binaries.betcode, load{sessions: 1, clients: 3, work: work{lines: 10, rate: 1000}})
	r.run()
	for range idleWindows {
		before := r.usage()
		time.Sleep(idleWindow)
		used := r.usage().since(before)
		t.Logf("in %v: processor %v, %d voluntary context switches; %.1f MB of anonymous memory",
			idleWindow, used.cpu, used.switches, float64(used.anon)/(1<<20))
		if used.cpu <= idleTicks*tick && used.switches <= idleSwitches && used.anon <= idleMemory {
			return
		}
	}
	t.Errorf("an idle daemon is never idle for %v", idleWindow)
}
