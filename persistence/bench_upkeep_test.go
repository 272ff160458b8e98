package persistence

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

// BenchmarkUpkeep reads and copies a journal of half a gibibyte, two thirds of it
// sealed, and reports how long commits waited for a copy.
func BenchmarkUpkeep(b *testing.B) {
	s := benchStore(b, 100)
	heads, offsets := make([]messages.Seq, 100), make([]int64, 100)
	for round := range 6 {
		for range 250 {
			var group []messages.Append
			for i := range 10 {
				n := (i*37 + round*13 + int(heads[i*10])) % 100
				group = append(group, liveAppend(1+n, heads[n], 100, offsets[n]))
				heads[n], offsets[n] = heads[n]+100, offsets[n]+100*400
			}
			for _, err := range s.Commit(group) {
				if err != nil && messages.KindOf(err) != messages.Aborted {
					b.Fatal(err)
				}
			}
		}
		if round < 4 {
			if err := s.Seal(); err != nil {
				b.Fatal(err)
			}
		}
	}
	st := s.Stats()
	total := float64(st.SealedBytes+st.ActiveBytes) / (1 << 20)
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if r, err := s.Verify(b.Context(), nil); err != nil || !r.OK() {
				b.Fatal(err, r.Problems)
			}
		}
		b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds(), "MiB/s")
	})
	for _, link := range []bool{false, true} {
		b.Run(fmt.Sprintf("backup/link=%v", link), func(b *testing.B) {
			var paused time.Duration
			for b.Loop() {
				made, err := s.Backup(b.Context(), fmt.Sprintf("%s/b", b.TempDir()), link)
				if err != nil {
					b.Fatal(err)
				}
				paused += made.Paused
			}
			b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds(), "MiB/s")
			b.ReportMetric(float64(paused.Milliseconds())/float64(b.N), "paused-ms")
		})
	}
	b.ReportMetric(total, "MiB")
}

// BenchmarkCommitBesideRewrite is a commit of one event, alone, while a sealed file is
// rewritten at the rate of production, and without limit: how long callers wait for a
// commit.
func BenchmarkCommitBesideRewrite(b *testing.B) {
	for name, rate := range map[string]int64{"alone": 0, "rewriting": defaultRewriteRate, "unpaced": -1} {
		b.Run(name, func(b *testing.B) {
			s := benchStore(b, 1)
			s.options.RewriteRate = rate
			head := messages.Seq(0)
			for n := 2; n <= 3; n++ { // two thirds of it are of one that is deleted
				for of := messages.Seq(0); of < 200_000/messages.Seq(n-1); of += 1000 {
					a := liveAppend(n, of, 1000, int64(of)*400)
					if err := s.Commit([]messages.Append{a})[0]; err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := s.Seal(); err != nil {
				b.Fatal(err)
			}
			if err := s.Commit([]messages.Append{{Session: sid(2), Delete: true}})[0]; err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			over := make(chan struct{})
			go func() {
				defer close(over)
				for rate != 0 && ctx.Err() == nil { // the same one, again and again
					s.files.RLock()
					sealed := s.manifest.Sealed[0]
					s.files.RUnlock()
					_, _ = s.rewriteFile(ctx, sealed)
				}
			}()
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if err := s.Commit([]messages.Append{liveAppend(1, head, 1, int64(head)*400)})[0]; err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
				head++
			}
			cancel()
			<-over
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(s.counts.rewritten.Load()), "rewritten")
		})
	}
}
