package persistence

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

// benchStore opens a journal with the options of production.
func benchStore(b *testing.B, sessions int) *Store {
	b.Helper()
	s, err := Open(Options{Directory: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for first := 1; first <= sessions; first += 1000 {
		var group []messages.Append
		for n := first; n < first+1000 && n <= sessions; n++ {
			group = append(group, liveAppend(n, 0, 0, 0))
		}
		for _, err := range s.Commit(group) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	return s
}

var benchEvent = bytes.Repeat([]byte("an event of the usual size... "), 10)

// liveAppend is what a session writes for a batch of its agent's output: the
// events, how far the spool was read, and its record.
func liveAppend(session int, head messages.Seq, events int, offset int64) messages.Append {
	id := sid(session)
	a := messages.Append{Session: id, Expect: head, SpoolFrom: offset}
	a.Record = summary(id, epoch.Add(time.Duration(head)*time.Millisecond))
	a.Record.Name, a.Record.Model = "a session with a name", "opus"
	a.Record.Metadata = map[string]string{"client": "bench"}
	a.Record.Preview = string(benchEvent[:150])
	for i := range events {
		a.Events = append(a.Events, messages.Event{Seq: head + messages.Seq(i) + 1, Bytes: benchEvent})
	}
	if events > 0 {
		a.Cursor = &messages.Cursor{Run: 1, Offset: offset + int64(events)*400, Translator: benchEvent[:100]}
	}
	return a
}

// BenchmarkCommit is one transaction: so many sessions append so many events of
// 300 bytes each. 500 more sessions are asleep.
func BenchmarkCommit(b *testing.B) {
	for _, c := range []struct{ live, appends, events int }{
		{1, 1, 1}, {1, 1, 5}, {1, 1, 100}, {16, 4, 1}, {64, 1, 1}, {64, 20, 5}, {64, 64, 5},
	} {
		b.Run(fmt.Sprintf("live=%d/appends=%d/events=%d", c.live, c.appends, c.events), func(b *testing.B) {
			s := benchStore(b, 500)
			heads, offsets := make([]messages.Seq, c.live), make([]int64, c.live)
			r := rand.New(rand.NewPCG(1, 2))
			before := s.Stats()
			for b.Loop() {
				var group []messages.Append
				for _, i := range r.Perm(c.live)[:c.appends] {
					group = append(group, liveAppend(1+i*500/c.live, heads[i], c.events, offsets[i]))
					heads[i], offsets[i] = heads[i]+messages.Seq(c.events), offsets[i]+int64(c.events)*400
				}
				for _, err := range s.Commit(group) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			st := s.Stats()
			bytes := float64(st.EventBytes - before.EventBytes)
			b.ReportMetric(float64(st.Events-before.Events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(st.WrittenBytes-before.WrittenBytes)/bytes, "written/B")
			b.ReportMetric(float64(st.ActiveBytes-before.ActiveBytes)/bytes, "file/B")
		})
	}
}

// BenchmarkEvents replays 20 000 events of one session, 256 at a time.
func BenchmarkEvents(b *testing.B) {
	s := benchStore(b, 3)
	const total = 20000
	for head := messages.Seq(0); head < total; head += 5 {
		if err := s.Commit([]messages.Append{liveAppend(2, head, 5, int64(head)*400/5*5)})[0]; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for after := messages.Seq(0); after < total; {
			portion, err := s.Events(sid(2), after, 0, 0)
			if err != nil {
				b.Fatal(err)
			}
			after += messages.Seq(len(portion))
		}
	}
	b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkOpen is the start with 10 000 sessions, and what boot asks first.
func BenchmarkOpen(b *testing.B) {
	s := benchStore(b, 10000)
	for n := 1; n <= 10000; n += 1000 {
		var group []messages.Append
		for i := n; i < n+1000; i++ {
			group = append(group, messages.Append{Session: sid(i), Run: &messages.RunRecord{
				Session: sid(i), Run: 1, State: messages.RunFinished, Token: "token", Argv: []string{"claude", "--print", "--verbose"},
			}})
		}
		s.Commit(group)
	}
	options := s.options
	s.Close()
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(options)
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
	})
	s, err := Open(options)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.Run("unfinished", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Unfinished(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first page", func(b *testing.B) {
		for b.Loop() {
			if _, total, err := s.Sessions("", "", 50, 0); total != 10000 || err != nil {
				b.Fatal(total, err)
			}
		}
	})
	b.Run("first page after a change", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			id := sid(1 + i%10000)
			changed := *s.index.get(id)
			changed.updated = epoch.Add(time.Duration(i) * time.Second)
			s.index.apply(map[messages.SessionID]*entry{id: &changed})
			if _, _, err := s.Sessions("", "", 50, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Load(sid(777)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("seal", func(b *testing.B) {
		for b.Loop() {
			if err := s.Seal(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

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
