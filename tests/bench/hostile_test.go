//go:build linux

package bench

import "testing"

// BenchmarkHostile measures what agents that write as no agent should do to ten
// that behave: one line of 20 MB, a line of 1 MB every second, and 50 MB/s of what
// is not even JSON.
func BenchmarkHostile(b *testing.B) { hostile(b, binaries.betcode) }

// BenchmarkLinkedHostile is the same of the linked daemon.
func BenchmarkLinkedHostile(b *testing.B) { hostile(b, binaries.linked, linked(asBuilt)...) }

func hostile(b *testing.B, binary string, env ...string) {
	bad := []work{{own: "lines:1:1:20000000"}, {own: "lines:5:1:1000000"}, {own: "garbage:50:5"}}
	if testing.Short() {
		bad[2].own = "garbage:50:1"
	}
	l := load{sessions: 10 + len(bad), clients: 1, apart: len(bad), work: work{lines: 150, rate: 30}}.shortened()
	for b.Loop() {
		r := newRig(b, binary, l, env...)
		alone := r.play(l.beside())
		var among outcome
		peak := r.peak(func() { among = r.play(l.beside(bad...)) })
		report(b, map[string]float64{
			unitP99:     millis(quantile(among.delays, 0.99)),
			unitOfQuiet: float64(quantile(among.delays, 0.99)) / float64(quantile(alone.delays, 0.99)),
			unitWaited:  among.waited(),
			unitPeak:    megabytes(peak),
			unitDisk:    float64(among.daemon.written) / float64(among.bytes),
			unitState:   megabytes(sizeBelow(r.world.StateDir(), "")),
		})
	}
}
