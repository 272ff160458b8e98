package persistence

import (
	"bytes"
	"sync"
	"testing"

	"betcode/messages"
)

func TestEventsAreReadInPortions(t *testing.T) {
	f := newFixture(t)
	id := sid(1)
	f.commit(begin(id, 0), begin(sid(2), 5), begin(sid(3), 5))
	head := messages.Seq(0)
	for _, n := range []int{1, 2, 30, 300, 1, 7} {
		f.commit(more(id, head, n), more(sid(2), 5, 0))
		head += messages.Seq(n)
	}
	all := events(0, int(head))
	for after := range head + 1 {
		for _, limit := range []int{1, 3, 100} {
			got, err := f.store.Events(id, after, limit, 0)
			if err != nil {
				t.Fatal(err)
			}
			sameEvents(t, "portion", got, all[after:min(int(after)+limit, len(all))])
		}
	}
	if got, err := f.store.Events(id, 0, 0, 0); err != nil || len(got) != MaxEvents {
		t.Errorf("%d events at most, got %d, %v", MaxEvents, len(got), err)
	}
	if got, err := f.store.Events(id, head, 0, 0); err != nil || len(got) != 0 {
		t.Errorf("at the head: %d, %v", len(got), err)
	}
	_, err := f.store.Events(id, head+1, 0, 0)
	wantKind(t, "beyond the head", err, messages.OutOfRange)
	if h, err := f.store.Head(id); h != head || err != nil {
		t.Errorf("head %d, %v", h, err)
	}
}

func TestEventsAreBoundedByBytes(t *testing.T) {
	f := newFixture(t)
	a := begin(sid(1), 10)
	for i := range a.Events {
		a.Events[i].Bytes = bytes.Repeat([]byte{byte(i)}, 300)
	}
	a.Events[4].Bytes = make([]byte, 2<<20) // an event may be larger than the budget
	f.commit(a)
	for _, c := range []struct{ after, bytes, want int }{
		{0, 1, 1}, {0, 299, 1}, {0, 300, 1}, {0, 600, 2}, {0, 1200, 4}, {0, 5000, 4}, {4, 5000, 1}, {4, 3 << 20, 6}, {5, 1 << 20, 5},
	} {
		got, err := f.store.Events(sid(1), messages.Seq(c.after), 0, c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		sameEvents(t, "portion", got, a.Events[c.after:c.after+c.want])
	}
}

func TestEventsAreCopies(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 4))
	got := f.history(sid(1))
	for _, e := range got {
		_ = append(e.Bytes, "more"...)
		clear(e.Bytes)
	}
	sameEvents(t, "events", f.history(sid(1)), events(0, 4))
}

func TestEventsAcrossSealedFiles(t *testing.T) {
	f := newFixture(t)
	id, late := sid(1), sid(2)
	f.commit(begin(id, 0))
	head := messages.Seq(0)
	for round := range 4 {
		for _, n := range []int{3, 40} {
			f.commit(more(id, head, n))
			head += messages.Seq(n)
		}
		if round == 1 {
			f.commit(begin(late, 6))
		}
		f.seal()
		f.seal() // a file without an event of anybody
	}
	f.commit(more(id, head, 5), more(late, 6, 1))
	head += 5
	for range 2 {
		all := events(0, int(head))
		for after := range head + 1 {
			got, err := f.store.Events(id, after, 100, 0)
			if err != nil {
				t.Fatal(err)
			}
			sameEvents(t, "portion", got, all[after:min(int(after)+100, len(all))])
		}
		sameEvents(t, "late", f.history(late), events(0, 7))
		f.reopen()
	}
	if st := f.store.Stats(); st.SealedFiles != 8 || st.SealedBytes == 0 {
		t.Errorf("stats: %+v", st)
	}
}

// Whatever is read while commits and seals go on is a prefix of the history.
func TestReadersSeeNoHoles(t *testing.T) {
	f := newFixture(t)
	ids := []messages.SessionID{sid(1), sid(2), sid(3)}
	for _, id := range ids {
		f.commit(begin(id, 1))
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for _, id := range ids {
		readers.Go(func() {
			next := messages.Seq(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				got, err := f.store.Events(id, next, 20, 0)
				if err != nil {
					t.Errorf("events: %v", err)
					return
				}
				for _, e := range got {
					if next++; e.Seq != next || !bytes.Equal(e.Bytes, events(next-1, 1)[0].Bytes) {
						t.Errorf("event %d is %d %q", next, e.Seq, e.Bytes)
						return
					}
				}
				if len(got) == 0 {
					next = 0
				}
				if _, _, err := f.store.Sessions("/src", "", 2, 0); err != nil {
					t.Errorf("sessions: %v", err)
				}
				if l, err := f.store.Load(id); err != nil || !l.Found || l.Record.Head < next {
					t.Errorf("load: %v, head %d after %d was read", err, l.Record.Head, next)
				}
			}
		})
	}
	readers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if report, err := f.store.Verify(t.Context(), nil); err != nil || !report.OK() {
				t.Errorf("verify: %v, %v", report.Problems, err)
			}
			f.store.Stats()
			f.store.SealDue()
		}
	})
	head := messages.Seq(1)
	for i := range 60 {
		f.commit(more(ids[0], head, 4), more(ids[1], head, 4), more(ids[2], head, 4))
		head += 4
		if i%20 == 10 {
			f.seal()
		}
	}
	close(stop)
	readers.Wait()
}
