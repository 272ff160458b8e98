//go:build linux

package bench

import "testing"

// crowd is many sessions at once, following one session by many clients.
var (
	crowd     = load{sessions: 200, clients: 2, work: work{lines: 300, rate: 30}}
	following = load{sessions: 1, clients: 500, work: work{lines: 300, rate: 30}}
)

// BenchmarkMany measures whether all clients keep up when there are many: sessions
// with two clients each, and clients of one session.
func BenchmarkMany(b *testing.B) {
	b.Run("sessions", func(b *testing.B) { many(b, crowd) })
	b.Run("clients", func(b *testing.B) { many(b, following) })
}

func many(b *testing.B, l load) {
	for b.Loop() {
		r := newRig(b, binaries.betcode, l.shortened())
		var o outcome
		peak := r.peak(func() { o = r.run() })
		figures := o.paced()
		figures[unitLagging], figures[unitPeak] = float64(o.lagging), megabytes(peak)
		report(b, figures)
	}
}
