//go:build linux

package bench

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkGather measures the delay and the saved writes of the journal's gathering window, the
// minimum time between two transactions, on a busy day. It drives the linked daemon, whose window
// can be set.
func BenchmarkGather(b *testing.B) {
	l := day
	l.lines /= 2
	for _, window := range []time.Duration{0, 300 * time.Microsecond, 500 * time.Microsecond, 700 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond} {
		b.Run(fmt.Sprintf("window=%v", window), func(b *testing.B) {
			for b.Loop() {
				o := newRig(b, binaries.linked, l.shortened(), linked(window)...).run()
				report(b, o.journaled(o.paced()))
			}
		})
	}
}

// BenchmarkLinkedDay is the working day against the linked daemon.
func BenchmarkLinkedDay(b *testing.B) {
	for b.Loop() {
		o := newRig(b, binaries.linked, day.shortened(), linked(asBuilt)...).run()
		report(b, o.journaled(o.paced()))
	}
}

// BenchmarkLinkedAudience is the audience of one session of the linked daemon.
func BenchmarkLinkedAudience(b *testing.B) {
	for b.Loop() {
		o := newRig(b, binaries.linked, audience.shortened(), linked(asBuilt)...).run()
		report(b, o.journaled(o.paced()))
	}
}

// BenchmarkLinkedFlood is the flood against the linked daemon: for its journal's
// counters, and for a profile of the daemon alone.
func BenchmarkLinkedFlood(b *testing.B) {
	for b.Loop() {
		o := newRig(b, binaries.linked, flood.shortened(), linked(asBuilt)...).run()
		report(b, o.journaled(o.flooded()))
	}
}

// BenchmarkLinkedMany is many sessions of the linked daemon.
func BenchmarkLinkedMany(b *testing.B) {
	for b.Loop() {
		o := newRig(b, binaries.linked, crowd.shortened(), linked(asBuilt)...).run()
		report(b, o.journaled(o.paced()))
	}
}

// BenchmarkLinkedLoud is the loud agent among the quiet, of the linked daemon.
func BenchmarkLinkedLoud(b *testing.B) {
	for b.Loop() {
		report(b, newRig(b, binaries.linked, loud.shortened(), linked(asBuilt)...).loudness())
	}
}

// journaled adds the counters of the journal of a linked daemon.
func (o outcome) journaled(figures map[string]float64) map[string]float64 {
	figures[unitCommits] = float64(o.journal.Commits) / o.took.Seconds()
	figures[unitBatch] = float64(o.events) / float64(o.journal.Appends)
	figures[unitJournal] = float64(o.journal.WrittenBytes) / float64(o.bytes)
	return figures
}
