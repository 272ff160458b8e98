//go:build linux

package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
)

// BenchmarkReplay measures how fast clients read a long history, beside bare gRPC
// streams of the same bytes, and how long they wait for its first event.
func BenchmarkReplay(b *testing.B) {
	l := load{sessions: 1, clients: 1, work: work{lines: 1_000_000}}.shortened()
	r := newRig(b, binaries.betcode, l)
	r.run()
	history := int(r.streams[0].next) - 1
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			report(b, r.replays(b, 1, history, func() int { return 0 }))
		}
	})
	b.Run("many", func(b *testing.B) {
		each := history / 50
		for b.Loop() {
			report(b, r.replays(b, 100, each, func() int { return rand.IntN(history - each) }))
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			report(b, r.firsts(b, history))
		}
	})
}

// firsts is how long the first event takes in the worst of many places: both
// ends, and anywhere between them. A place is asked several times and counts with
// the median, because what one moment costs is no property of the place.
func (r *rig) firsts(b *testing.B, history int) map[string]float64 {
	places := []int{0, 1, history - 2, history - 1}
	for range 46 {
		places = append(places, rand.IntN(history-1))
	}
	waits, all := make([][]int64, len(places)), []int64(nil)
	for range 5 { // one round of all after the other, so that none is warm from the try before
		for i, behind := range places {
			began := time.Now()
			t, err := r.replay(context.Background(), behind, 1)
			if err != nil {
				b.Fatal(err)
			}
			wait := t.first.Sub(began).Nanoseconds()
			waits[i], all = append(waits[i], wait), append(all, wait)
		}
	}
	worst := int64(0)
	for _, w := range waits {
		worst = max(worst, median(w))
	}
	return map[string]float64{unitFirst: millis(worst), unitP50: millis(median(all))}
}

// replays lets clients read events each, after the sequence that from returns.
func (r *rig) replays(b *testing.B, clients, events int, from func() int) map[string]float64 {
	before, began := r.usage(), time.Now()
	tallies, errs := make([]tally, clients), make([]error, clients)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() { tallies[i], errs[i] = r.replay(context.Background(), from(), events) })
	}
	group.Wait()
	took, used := time.Since(began), r.usage().since(before)
	read, size := 0, int64(0)
	for i, t := range tallies {
		if errs[i] != nil {
			b.Fatal(errs[i])
		}
		read, size = read+t.events, size+t.bytes
	}
	names := slices.Repeat([]string{fmt.Sprintf("bytes:%d:%d", events, int(size)/read)}, clients)
	_, bare := bareStreams(b, names...)
	return map[string]float64{
		unitEvents:    float64(read) / took.Seconds(),
		unitOfCeiling: bare.Seconds() / took.Seconds(),
		unitCPU:       float64(used.cpu.Microseconds()) / float64(read),
		unitGrown:     megabytes(used.anon - before.anon),
	}
}

// replay reads so many events of the first session behind a number, on a
// connection of its own.
func (r *rig) replay(ctx context.Context, behind, events int) (tally, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := dial(r.world.Socket())
	if err != nil {
		return tally{}, err
	}
	defer conn.Close()
	s, err := pb.NewAgentServiceClient(conn).ResumeSession(ctx, &pb.ResumeSessionRequest{
		SessionId: r.streams[0].session, FromSequence: uint64(behind),
	})
	if err != nil {
		return tally{}, err
	}
	return (&reader{next: uint64(behind) + 1, toEnd: true, most: events}).read(s)
}
