//go:build linux

package bench

import (
	"fmt"
	"testing"
)

// flood is 64 agents as fast as they can, each with a client of its own.
var flood = load{sessions: 64, clients: 1, work: work{lines: 10_000}}

// BenchmarkFlood measures how many events a second become durable and reach
// their client when agents write as fast as they can.
func BenchmarkFlood(b *testing.B) {
	for b.Loop() {
		l := flood.shortened()
		o := newRig(b, binaries.betcode, l).run()
		figures := o.flooded()
		figures[unitOfCeiling] = figures[unitEvents] / o.ceiling(b, l)
		report(b, figures)
	}
}

// flooded are the figures of a load without a pace.
func (o outcome) flooded() map[string]float64 {
	return map[string]float64{
		unitEvents:    float64(o.events) / o.took.Seconds(),
		unitCPU:       o.cpuPerEvent(),
		unitClientCPU: perEvent(o.clients, o.events),
		unitDisk:      float64(o.daemon.written) / float64(o.bytes),
		unitBatch:     float64(o.events) / float64(o.batches),
		unitSize:      float64(o.bytes) / float64(o.events),
		unitAnon:      megabytes(o.daemon.anon),
	}
}

// cpuPerEvent is the daemon's, in µs.
func (o outcome) cpuPerEvent() float64 { return perEvent(o.daemon, o.events) }

func perEvent(u usage, events int) float64 { return float64(u.cpu.Microseconds()) / float64(events) }

// ceiling is the throughput of the slower building block with the same bytes: group commit of one
// batch of every session, or gRPC streams.
func (o outcome) ceiling(b *testing.B, l load) float64 {
	batch, size := o.events/o.batches, int(o.bytes)/o.events
	names := make([]string, l.sessions)
	for i := range names {
		names[i] = fmt.Sprintf("bytes:%d:%d", o.events/l.sessions, size)
	}
	_, took := bareStreams(b, names...)
	return min(bareCommits(b, o.events, batch*l.sessions, size), float64(o.events)/took.Seconds())
}
