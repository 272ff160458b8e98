package persistence

import (
	"bytes"
	"fmt"
	"math/rand/v2"
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
