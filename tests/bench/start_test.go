//go:build linux

package bench

import (
	"context"
	"testing"
	"time"

	"betcode/tests/kit"
)

// started runs a daemon and returns how long it took until it served, in ms.
func started(b *testing.B, w *kit.World) (*kit.Daemon, float64) {
	began := time.Now()
	d, err := w.Start(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return d, millis(time.Since(began).Nanoseconds())
}

// BenchmarkStart measures a daemon with a long past: from its start until it
// serves.
func BenchmarkStart(b *testing.B) {
	w := oldWorld(b)
	for b.Loop() {
		d, took := started(b, w)
		report(b, map[string]float64{unitStart: took})
		if _, err := d.Stop(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRest measures the same daemon without connections, once it has indexed
// the past: that takes half a minute and more, and memory comes back after it.
func BenchmarkRest(b *testing.B) {
	w := oldWorld(b)
	const window = 20 * time.Second
	for b.Loop() {
		d, _ := started(b, w)
		r := rig{TB: b, daemon: d, world: w}
		if err := d.Indexed(context.Background()); err != nil {
			b.Fatal(err)
		}
		if err := d.Conn().Close(); err != nil { // its pings and its keepalive timer are not those of a daemon at rest
			b.Fatal(err)
		}
		comeToRest()
		before := r.usage()
		time.Sleep(window)
		used := r.usage().since(before)
		report(b, map[string]float64{
			unitAnon:  megabytes(used.anon),
			unitBusy:  100 * used.cpu.Seconds() / window.Seconds(),
			unitWakes: float64(used.switches) / window.Seconds(),
		})
		if _, err := d.Stop(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAdopt measures how long it takes, from the start of a daemon whose
// predecessor was killed, until each of a hundred agents that live has answered.
func BenchmarkAdopt(b *testing.B) {
	l := load{sessions: 100, clients: 1, work: work{lines: 1}}
	if testing.Short() {
		l.sessions /= 10
	}
	for b.Loop() {
		r := newRig(b, binaries.betcode, l)
		r.daemon.Kill()
		began := time.Now()
		d, serves := started(b, r.world)
		r.daemon = d
		sessions := r.streams
		r.streams = nil
		for _, s := range sessions {
			r.attach(r.dial(), 0, s.session)
		}
		for _, s := range r.streams {
			s.next = 0
		}
		r.run()
		report(b, map[string]float64{unitStart: serves, unitAdopt: millis(time.Since(began).Nanoseconds())})
	}
}

// comeToRest waits until started work has ended and its memory was returned: the daemon looks for
// unused memory three times, every 15 seconds.
func comeToRest() {
	if !testing.Short() {
		time.Sleep(50 * time.Second)
	}
	time.Sleep(5 * time.Second)
}

// BenchmarkStreams measures the memory of an observer without events: a thousand of them on ten
// connections.
func BenchmarkStreams(b *testing.B) {
	l := load{sessions: 10, clients: 1, work: work{lines: 1}}
	for b.Loop() {
		r := newRig(b, binaries.betcode, l)
		ids := r.streams
		attach := func(each int) {
			for c := range 10 {
				conn := r.dial()
				for i := range each {
					r.attach(conn, c+1, ids[i%len(ids)].session)
				}
			}
		}
		attach(1) // what only the first costs is not counted
		comeToRest()
		before := r.usage()
		attach(100)
		comeToRest()
		after := r.usage()
		report(b, map[string]float64{
			unitEach:  float64(after.anon-before.anon) / 1024 / 1000,
			unitAnon:  megabytes(after.anon),
			unitWakes: float64(r.wakes(5 * time.Second)),
		})
	}
}

// wakes is how often a second the daemon is woken.
func (r *rig) wakes(window time.Duration) float64 {
	before := r.usage()
	time.Sleep(window)
	return float64(r.usage().since(before).switches) / window.Seconds()
}
