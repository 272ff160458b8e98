//go:build linux

package bench

import (
	"testing"
	"time"
)

// BenchmarkHostile measures what agents that write as no agent should do to ten
// that behave: one line of 20 MB, a line of 1 MB every second, and 50 MB/s of what
// is not even JSON.
func BenchmarkHostile(b *testing.B) {
	l := load{sessions: 13, clients: 1, work: work{lines: 150, rate: 30}}.shortened()
	bad := []string{"lines:1:1:20000000", "lines:5:1:1000000", "garbage:50:5"}
	if testing.Short() {
		bad[2] = "garbage:50:1"
	}
	good := l.sessions - len(bad)
	for b.Loop() {
		r := newRig(b, binaries.betcode, l)
		alone := r.play(func(session int) work {
			if session >= good {
				return work{}
			}
			return l.work
		})
		var peak int64
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
				}
				if u, err := usageOf(r.daemon.PID()); err == nil {
					peak = max(peak, u.anon)
				}
			}
		}()
		beside := r.play(func(session int) work {
			if session >= good {
				return work{own: bad[session-good]}
			}
			return l.work
		})
		close(stop)
		<-stopped
		report(b, map[string]float64{
			unitP99:     millis(quantile(beside.delays, 0.99)),
			unitOfQuiet: float64(quantile(beside.delays, 0.99)) / float64(quantile(alone.delays, 0.99)),
			unitPeak:    megabytes(peak),
			unitDisk:    float64(beside.daemon.written) / float64(beside.bytes),
			unitState:   megabytes(sizeBelow(r.world.StateDir())),
		})
	}
}
