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

	// What was begun takes as long as it takes on a busy machine; what goes on for
	// ever is in every window.
	idleWindows = 20
)

// TestIdle: a daemon with a warm agent and three clients, all of them quiet,
// needs no processor and little memory.
func TestIdle(t *testing.T) {
	t.Parallel()
	r := newRig(t, binaries.betcode, load{sessions: 1, clients: 3, lines: 10, rate: 1000})
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

// TestQuick: the benchmarks count right; how long anything takes is not asked.
func TestQuick(t *testing.T) {
	t.Parallel()
	for _, l := range []load{
		{sessions: 2, clients: 1, lines: 2000},
		{sessions: 2, clients: 2, lines: 20, rate: 200},
	} {
		for _, binary := range []string{binaries.betcode, binaries.linked} {
			var env []string
			if binary == binaries.linked {
				env = linked(time.Millisecond)
			}
			o := newRig(t, binary, l, env...).run()
			if o.events < l.sessions*l.lines || o.bytes < int64(o.events*textSize/2) || o.batches == 0 || o.batches > o.events {
				t.Errorf("%+v: %d events, %d bytes, %d batches", l, o.events, o.bytes, o.batches)
			}
			if want := l.sessions * l.clients * l.lines; l.rate > 0 && len(o.delays) != want {
				t.Errorf("%+v: %d delays of %d", l, len(o.delays), want)
			}
			if len(o.delays) > 0 && quantile(o.delays, 0) <= 0 {
				t.Errorf("%+v: a line came before it was written", l)
			}
			if binary == binaries.linked && o.journal.Commits == 0 {
				t.Errorf("%+v: no commits were counted", l)
			}
		}
	}
	if tallies, _ := bareStreams(t, "bytes:100:150", "lines:pace:5:100:100"); tallies[0].events != 100 || len(tallies[1].delays) != 5 {
		t.Errorf("the bare path: %+v", tallies)
	}
	if bareCommits(t, 100, 10, 150) <= 0 {
		t.Error("no bare commits")
	}
}
