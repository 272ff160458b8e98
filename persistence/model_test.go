package persistence

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/messages"
	"betcode/persistence/internal/record"
)

// draw makes an append that fits the model, or nearly.
func (m model) draw(t *rapid.T) messages.Append {
	id := sid(rapid.IntRange(1, 5).Draw(t, "session"))
	a := messages.Append{Session: id}
	s := m[id]
	if s == nil || s.deleted {
		s = &modelSession{}
	}
	a.Expect = messages.Seq(len(s.events))
	name := rapid.SampledFrom([]string{"a", "b", "\xff"})
	one := func(what string, n int) bool { return rapid.IntRange(1, n).Draw(t, what) == 1 }
	if one("delete", 60) {
		a.Delete = true
		return a
	}
	if one("wrong head", 12) {
		a.Expect += messages.Seq(rapid.IntRange(-1, 1).Draw(t, "by"))
	}
	a.Events = events(a.Expect, rapid.SampledFrom([]int{0, 1, 1, 3, 40}).Draw(t, "events"))
	sizes := []int{0, 0, 0, 200, 1500}
	if len(a.Events) < 10 {
		sizes = append(sizes, record.PayloadBytes-200, 2*record.PayloadBytes)
	}
	for i := range a.Events {
		a.Events[i].Bytes = append(a.Events[i].Bytes, make([]byte, rapid.SampledFrom(sizes).Draw(t, "size"))...)
	}
	if len(a.Events) > 0 && one("wrong number", 30) {
		a.Events[rapid.IntRange(0, len(a.Events)-1).Draw(t, "event")].Seq++
	}
	if len(s.events) == 0 || one("record", 2) {
		a.Record = summary(id, epoch.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "minute"))*time.Minute))
		a.Record.Name = name.Draw(t, "name")
		a.Record.Past.LowWater = s.low
		if one("give up", 4) {
			a.Record.Past.LowWater = messages.Seq(rapid.Uint64Range(uint64(s.low), uint64(len(s.events))).Draw(t, "low"))
		}
	}
	if one("cursor", 2) {
		run := s.cursor.Run + messages.RunNumber(rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "run"))
		if run == s.cursor.Run {
			a.SpoolFrom = s.cursor.Offset
		}
		if one("wrong spool", 12) {
			a.SpoolFrom++
		}
		a.Cursor = &messages.Cursor{Run: run, Offset: a.SpoolFrom + rapid.Int64Range(0, 99).Draw(t, "read"), Translator: []byte(name.Draw(t, "state"))}
		if one("older run", 20) && run > 0 {
			a.Cursor.Run--
		}
	}
	if one("run", 4) {
		a.Run = &messages.RunRecord{
			Session: id, Run: messages.RunNumber(rapid.IntRange(1, 3).Draw(t, "run")), Token: name.Draw(t, "token"),
			State: messages.RunState(rapid.IntRange(0, 2).Draw(t, "state")),
		}
	}
	if one("inputs", 3) {
		a.Inputs = []messages.InputRecord{
			{Key: name.Draw(t, "input"), Seq: a.Expect, Content: strings.Repeat(name.Draw(t, "content"), rapid.SampledFrom([]int{1, 1, 1, 2 * record.PayloadBytes}).Draw(t, "times"))},
			{Key: name.Draw(t, "input"), State: messages.InputState(rapid.IntRange(0, 4).Draw(t, "state"))},
		}
	}
	if one("settled", 3) {
		a.Done = []string{name.Draw(t, "settled")}
	}
	if one("permission", 3) {
		a.Permissions = []messages.PermissionRecord{{Request: messages.RequestID(name.Draw(t, "request")), Session: id, Seq: a.Expect}}
	}
	if one("resolved", 3) {
		a.Resolved = []messages.RequestID{messages.RequestID(name.Draw(t, "resolved"))}
	}
	if one("key", 3) {
		a.Key = name.Draw(t, "key")
	}
	if one("alias", 5) {
		a.Aliases = []string{name.Draw(t, "alias")}
	}
	return a
}

// Random appends, stale ones among them, seals and reopenings: the journal is
// always what the model is.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		directory, err := os.MkdirTemp("", "journal-")
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer os.RemoveAll(directory)
		f := makeFixture(t, directory, greedy, func(o *Options) { o.CheckpointBytes = rapid.SampledFrom([]int64{0, 4 << 10}).Draw(t, "checkpoint") })
		f.open()
		defer f.finish()
		m := model{}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				group := rapid.IntRange(1, 4).Draw(t, "group")
				// A group is drawn ahead of what it does, but for its own effect
				// on the model: most of it fits.
				var appends []messages.Append
				var want []bool
				for range group {
					a := m.draw(t)
					appends, want = append(appends, a), append(want, m.apply(a))
				}
				for _, a := range appends { // of a session at most the first can be staged for what it will be
					if rapid.IntRange(0, 2).Draw(t, "stage") == 0 {
						f.store.Stage(a)
					}
				}
				for i, err := range f.store.Commit(appends) {
					if (err == nil) != want[i] {
						t.Fatalf("append %d: %v, the model says %v: %+v", i, err, want[i], appends[i])
					}
				}
			},
			"seal":       func(*rapid.T) { f.seal() },
			"checkpoint": func(*rapid.T) { f.checkpoint() },
			"reopen":     func(*rapid.T) { f.reopen() },
			"crash":      func(*rapid.T) { f.crash() },
			"half":       func(*rapid.T) { f.half() },
			"reclaim": func(t *rapid.T) {
				if done, err := f.store.Reclaim(context.Background(), -1); err != nil || done.Damaged != nil {
					t.Fatalf("reclaim: %v, %v", done, err)
				}
			},
			"crash in reclaim": func(t *rapid.T) {
				steps := rapid.IntRange(0, 6).Draw(t, "steps")
				f.store.options.steps = func(string) error {
					if steps--; steps < 0 {
						return errCrash
					}
					return nil
				}
				_, _ = f.store.Reclaim(context.Background(), -1)
				f.crash()
			},
			"load": func(t *rapid.T) {
				id := sid(rapid.IntRange(1, 5).Draw(t, "session"))
				want := messages.SessionLoaded{}
				if s := m[id]; s != nil && !s.deleted {
					want = s.loaded()
				}
				same(t, fmt.Sprintf("load %s", id), f.load(id), want)
			},
			"events": func(t *rapid.T) {
				live := m.live()
				if len(live) == 0 {
					t.Skip("no session")
				}
				id := rapid.SampledFrom(live).Draw(t, "session")
				all := m[id].events
				after := rapid.IntRange(0, len(all)).Draw(t, "after")
				limit := rapid.IntRange(1, 50).Draw(t, "limit")
				after = max(after, int(m[id].low))
				got, err := f.store.Events(id, messages.Seq(after), limit, 0)
				if err != nil {
					t.Fatalf("events: %v", err)
				}
				sameEvents(t, "events", got, all[after:min(after+limit, len(all))])
			},
			"ask": func(t *rapid.T) {
				m.ask(t, f)
			},
		})
		for _, id := range m.live() { // replay returns what was committed
			sameEvents(t, "history", f.since(id, m[id].low), m[id].events[m[id].low:])
		}
		m.ask(t, f)
	})
}

// ask compares everything that is not about one session.
func (m model) ask(t *rapid.T, f *fixture) {
	live := m.live()
	records, total, err := f.store.Sessions("", "", 0, 0)
	if err != nil || total != len(live) {
		t.Fatalf("%d sessions of %d, %v", total, len(live), err)
	}
	for i, r := range records {
		same(t, "session in the list", r, m[live[i]].loaded().Record)
	}
	var unfinished []messages.SessionID
	var permissions []messages.PermissionRecord
	for _, id := range live {
		if m[id].unfinished() {
			unfinished = append(unfinished, id)
		}
		permissions = append(permissions, m[id].loaded().Permissions...)
		for _, key := range []string{"a", "b", "\xff"} {
			want, known := m[id].keys[key]
			if seq, seen, err := f.store.Seen(id, key); seq != want || seen != known || err != nil {
				t.Fatalf("seen %q of %s: %d, %v, %v, want %d, %v", key, id, seq, seen, err, want, known)
			}
		}
	}
	got, err := f.store.Unfinished()
	if err != nil {
		t.Fatalf("unfinished: %v", err)
	}
	slices.Sort(got)
	slices.Sort(unfinished)
	same(t, "unfinished", got, unfinished)
	pending, err := f.store.Pending("")
	if err != nil {
		t.Fatalf("pending: %v", err)
	}
	slices.SortFunc(permissions, func(a, b messages.PermissionRecord) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Request, b.Request))
	})
	same(t, "pending", pending, permissions)
	if last, err := f.store.Resolve("@last", ""); len(live) > 0 && (last != live[0] || err != nil) {
		t.Fatalf("last is %s, %v, want %s", last, err, live[0])
	}
}
