//go:build linux

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// day is the working day: 50 agents, two clients that watch them all.
var day = load{sessions: 50, clients: 2, work: work{lines: 300, rate: 30}}

// BenchmarkDay measures how long a line takes from the agent's write to the
// client's receipt, on disk by then, at a pace at which nothing queues; and what
// that costs.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		floor := quietFloor(b)
		o := newRig(b, binaries.betcode, day.shortened()).run()
		figures := o.paced()
		figures[unitOfFloor] = figures[unitP50] / floor
		size := int(o.bytes) / o.events
		figures[unitNaive], figures[unitAppend] = naiveWrites(b, size), bareAppends(b, size)
		report(b, figures)
	}
}

// paced are the figures of a load that keeps to a pace.
func (o outcome) paced() map[string]float64 {
	return map[string]float64{
		unitP50:   millis(median(o.delays)),
		unitP99:   millis(quantile(o.delays, 0.99)),
		unitCPU:   o.cpuPerEvent(),
		unitCores: o.daemon.cpu.Seconds() / o.took.Seconds(),
		unitDisk:  float64(o.daemon.written) / float64(o.bytes),
		unitSize:  float64(o.bytes) / float64(o.events),
		unitAnon:  megabytes(o.daemon.anon),
	}
}

// quietFloor is the p50 of the bare path, one agent and one client, in ms.
func quietFloor(b *testing.B) float64 {
	l := load{work: work{lines: 300, rate: 100}}.shortened()
	tallies, _ := bareStreams(b, "lines:"+l.prompt())
	if got := len(tallies[0].delays); got != l.lines {
		b.Fatalf("%d lines of %d came by the bare path", got, l.lines)
	}
	return millis(median(tallies[0].delays))
}

// naiveWrites is how many bytes reach the disk for a byte of an event that has a
// transaction of its own.
func naiveWrites(b *testing.B, size int) float64 {
	db, err := openBolt(filepath.Join(b.TempDir(), "naive"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	e := eventOfSize(size)
	return writesOf(b, len(e), func() error { return commit(db, []encoded{e}) })
}

// bareAppends is the same for one that is appended to a file.
func bareAppends(b *testing.B, size int) float64 {
	f, err := os.Create(filepath.Join(b.TempDir(), "appended"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	e := eventOfSize(size)
	return writesOf(b, len(e), func() error {
		if _, err := f.Write(e); err != nil {
			return err
		}
		return unix.Fdatasync(int(f.Fd()))
	})
}

// writesOf repeats write and returns how many bytes this process wrote for each
// of size.
func writesOf(b *testing.B, size int, write func() error) float64 {
	const times = 1000
	before, err := usageOf(os.Getpid())
	for range times {
		if err == nil {
			err = write()
		}
	}
	after, last := usageOf(os.Getpid())
	if err != nil || last != nil {
		b.Fatal(err, last)
	}
	return float64(after.since(before).written) / float64(times*size)
}

// loud is fifty quiet sessions and one that has its client elsewhere; loudly is what its
// agent does there.
var (
	loud   = load{sessions: 51, clients: 1, apart: 1, work: work{lines: 240, rate: 30}}
	loudly = load{work: work{lines: 600_000}}
)

// BenchmarkLoud measures what one agent that writes as fast as it can does to
// the clients of fifty others.
func BenchmarkLoud(b *testing.B) {
	for b.Loop() {
		report(b, newRig(b, binaries.betcode, loud.shortened()).loudness())
	}
}

// waited is how long threads of the daemon waited for a processor, per second.
func (o outcome) waited() float64 { return o.daemon.waited.Seconds() / o.took.Seconds() }

// loudness are the figures of the quiet sessions beside the loud one, and of their p99
// without it.
func (r *rig) loudness() map[string]float64 {
	alone := r.play(r.load.beside())
	among := r.play(r.load.beside(loudly.shortened().work))
	p99 := quantile(among.delays, 0.99)
	return map[string]float64{
		unitP50:     millis(median(among.delays)),
		unitP99:     millis(p99),
		unitOfQuiet: float64(p99) / float64(quantile(alone.delays, 0.99)),
		unitWaited:  among.waited(),
	}
}

// audience is 500 clients of one session.
var audience = load{sessions: 1, clients: 500, work: work{lines: 500, rate: 100}}

// BenchmarkAudience measures how long a line takes to the last of many clients of
// one session, and what bare gRPC streams need for as many events at that pace.
func BenchmarkAudience(b *testing.B) {
	for b.Loop() {
		l := audience.shortened()
		figures := newRig(b, binaries.betcode, l).run().paced()
		figures[unitBare] = bareAudience(b, l)
		report(b, figures)
	}
}

// bareAudience is the p99 of as many bare streams, in ms, when all of them are
// open.
func bareAudience(b *testing.B, l load) float64 {
	begin := time.Now().Add(3 * time.Second)
	name := fmt.Sprintf("paced:%d:%d:%d:%d", begin.UnixNano(), l.lines, l.rate, textSize)
	tallies, _ := bareStreams(b, slices.Repeat([]string{name}, l.clients)...)
	var delays []int64
	for _, t := range tallies {
		delays = append(delays, t.delays...)
	}
	return millis(quantile(delays, 0.99))
}
