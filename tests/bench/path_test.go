//go:build linux

package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
)

// BenchmarkLineToClient measures how long a line takes from the agent's write to
// the client's receipt, on disk by then, at a pace at which nothing queues.
func BenchmarkLineToClient(b *testing.B) {
	for _, l := range []load{
		{sessions: 1, clients: 1, lines: 500, rate: 100},
		{sessions: 16, clients: 8, lines: 500, rate: 100},
	} {
		b.Run(fmt.Sprintf("sessions=%d/clients=%d", l.sessions, l.clients), func(b *testing.B) {
			for b.Loop() {
				floor := quietFloor(b)
				o := newRig(b, binaries.betcode, l.shortened()).run()
				figures := o.paced()
				figures[unitOfFloor] = figures[unitP50] / floor
				report(b, figures)
			}
		})
	}
}

// quietFloor is the p50 of the bare path, one agent and one client, in µs.
func quietFloor(b *testing.B) float64 {
	l := load{lines: 300, rate: 100}.shortened()
	tallies, _ := bareStreams(b, "lines:"+l.prompt())
	if got := len(tallies[0].delays); got != l.lines {
		b.Fatalf("%d lines of %d came by the bare path", got, l.lines)
	}
	return micros(median(tallies[0].delays))
}

// paced are the figures of a load that keeps to a pace.
func (o outcome) paced() map[string]float64 {
	return map[string]float64{
		unitP50:   micros(median(o.delays)),
		unitP99:   micros(quantile(o.delays, 0.99)),
		unitCPU:   micros(o.daemon.cpu.Nanoseconds()) / float64(o.events),
		unitCores: o.daemon.cpu.Seconds() / o.took.Seconds(),
		unitDisk:  float64(o.daemon.written) / float64(o.bytes),
		unitSize:  float64(o.bytes) / float64(o.events),
		unitAnon:  float64(o.daemon.anon) / (1 << 20),
	}
}

// BenchmarkFlood measures how many events a second become durable and reach
// their client when agents write as fast as they can.
func BenchmarkFlood(b *testing.B) {
	for _, l := range floods {
		b.Run(fmt.Sprintf("sessions=%d", l.sessions), func(b *testing.B) {
			for b.Loop() {
				l := l.shortened()
				o := newRig(b, binaries.betcode, l).run()
				figures := o.flooded()
				figures[unitOfCeiling] = figures[unitEvents] / o.ceiling(b, l)
				report(b, figures)
			}
		})
	}
}

var floods = []load{
	{sessions: 1, clients: 1, lines: 200_000},
	{sessions: 16, clients: 1, lines: 15_000},
}

// flooded are the figures of a load without a pace.
func (o outcome) flooded() map[string]float64 {
	return map[string]float64{
		unitEvents: float64(o.events) / o.took.Seconds(),
		unitCPU:    micros(o.daemon.cpu.Nanoseconds()) / float64(o.events),
		unitDisk:   float64(o.daemon.written) / float64(o.bytes),
		unitBatch:  float64(o.events) / float64(o.batches),
		unitSize:   float64(o.bytes) / float64(o.events),
		unitAnon:   float64(o.daemon.anon) / (1 << 20),
	}
}

// ceiling is what the slower of the two building blocks does with the same bytes:
// group commit of one batch of every session, or gRPC streams.
func (o outcome) ceiling(b *testing.B, l load) float64 {
	batch, size := o.events/o.batches, int(o.bytes)/o.events
	names := make([]string, l.sessions)
	for i := range names {
		names[i] = fmt.Sprintf("bytes:%d:%d", o.events/l.sessions, size)
	}
	_, took := bareStreams(b, names...)
	return min(bareCommits(b, o.events, batch*l.sessions, size), float64(o.events)/took.Seconds())
}

// BenchmarkReplay measures how fast a client reads a long history.
func BenchmarkReplay(b *testing.B) {
	l := load{sessions: 1, clients: 1, lines: 200_000}.shortened()
	for b.Loop() {
		r := newRig(b, binaries.betcode, l)
		r.run()
		conn := r.dial()
		before, began := r.usage(), time.Now()
		s, err := pb.NewAgentServiceClient(conn).ResumeSession(context.Background(), &pb.ResumeSessionRequest{SessionId: r.streams[0].session})
		if err != nil {
			b.Fatal(err)
		}
		t, err := (&reader{next: 1, toEnd: true}).read(s)
		if err != nil {
			b.Fatal(err)
		}
		took, used := t.ended.Sub(began), r.usage().since(before)
		_, bare := bareStreams(b, fmt.Sprintf("bytes:%d:%d", t.events, int(t.bytes)/t.events))
		report(b, map[string]float64{
			unitEvents:    float64(t.events) / took.Seconds(),
			unitOfCeiling: bare.Seconds() / took.Seconds(),
			unitCPU:       micros(used.cpu.Nanoseconds()) / float64(t.events),
			unitSize:      float64(t.bytes) / float64(t.events),
		})
	}
}
