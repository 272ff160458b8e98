//go:build linux

package bench

import (
	"math/rand/v2"
	"testing"
	"time"

	"betcode/persistence"
)

// BenchmarkGrowth measures what an append costs when there is much already: many
// events, many sessions, a past that was dropped.
func BenchmarkGrowth(b *testing.B) {
	few, many, crowd := 10_000, 1_000_000, 1000
	if testing.Short() {
		many, crowd = many/10, crowd/10
	}
	growth(b, few, many, crowd)
}

func growth(b *testing.B, few, many, crowd int) {
	compare := func(b *testing.B, first, later float64) {
		report(b, map[string]float64{unitAppendMS: later, unitOfFirst: later / first})
	}
	b.Run("events", func(b *testing.B) {
		for b.Loop() {
			h := newHistory(b, persistence.Options{Directory: b.TempDir()}, "/", 10)
			h.write(few, 10)
			first := h.appendCost()
			h.write(many-few, 50)
			compare(b, first, h.appendCost())
			h.close()
		}
	})
	b.Run("sessions", func(b *testing.B) {
		for b.Loop() {
			h := newHistory(b, persistence.Options{Directory: b.TempDir()}, "/", 10)
			h.write(10*few, 50)
			first := h.appendCost()
			h.close()
			h = newHistory(b, persistence.Options{Directory: b.TempDir()}, "/", crowd)
			h.write(10*few, 50)
			compare(b, first, h.appendCost())
			h.close()
		}
	})
	b.Run("retention", func(b *testing.B) {
		for b.Loop() {
			h := newHistory(b, persistence.Options{Directory: b.TempDir(), SealBytes: 16 << 20, RetainBytes: 32 << 20}, "/", 10)
			h.write(few, 10)
			first := h.appendCost()
			h.write(many, 50)
			if _, err := h.store.Retain(); err != nil {
				b.Fatal(err)
			}
			compare(b, first, h.appendCost())
			h.close()
		}
	})
}

// appendCost is the p50 of a transaction in which ten sessions have one event
// each, in ms.
func (h *history) appendCost() float64 {
	var took []int64
	for range 500 {
		places := rand.Perm(len(h.sessions))[:10]
		began := time.Now()
		h.commitEach(places)
		took = append(took, time.Since(began).Nanoseconds())
	}
	return millis(median(took))
}
