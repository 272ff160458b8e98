package worktree

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"betcode/messages"
)

// Which holders may have leases at the same time.
func TestLeaseModes(t *testing.T) {
	none, shared, exclusive := messages.LeaseNone, messages.LeaseShared, messages.LeaseExclusive
	for _, c := range []struct {
		held, wanted messages.LeaseMode
		excluded     bool
	}{
		{none, none, false},
		{none, shared, false},
		{none, exclusive, false},
		{shared, none, false},
		{shared, shared, false},
		{shared, exclusive, true},
		{exclusive, none, true},
		{exclusive, shared, true},
		{exclusive, exclusive, true},
	} {
		if got := excludes(c.held, c.wanted); got != c.excluded {
			t.Errorf("%q excludes %q: %v", c.held, c.wanted, got)
		}
		own := leases{{Holder: "a", Mode: c.held}}
		if _, excluded := own.against("a", c.wanted); excluded {
			t.Errorf("%q of a session excludes itself from %q", c.held, c.wanted)
		}
		for _, gone := range []messages.WorktreeLease{{Holder: "a", Mode: c.held, Ended: true}, {Holder: "a", Mode: c.held, Stale: true}} {
			if _, excluded := (leases{gone}).against("b", c.wanted); excluded {
				t.Errorf("%+v excludes %q", gone, c.wanted)
			}
		}
	}
}

func lease(v messages.WorktreeView, holder messages.SessionID, mode messages.LeaseMode) messages.LeaseWorktree {
	return messages.LeaseWorktree{Worktree: v.ID, Holder: holder, Mode: mode}
}

// take asks for a lease and returns the code of the refusal.
func (f *fixture) take(m messages.LeaseWorktree) messages.Code {
	f.Helper()
	switch answer := f.doLease(m).(type) {
	case *messages.Error:
		if answer.Hint == "" {
			f.Errorf("%v has no hint", answer)
		}
		return answer.Code
	case messages.WorktreeView:
		return ""
	default:
		f.Fatalf("answered %T", answer)
		return ""
	}
}

// A lease is durable, ends with its holder, and is marked when the holder no longer exists.
func TestLeases(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	f.sessions = []messages.SessionRecord{{ID: "a"}, {ID: "b"}}
	if code := f.take(lease(v, "a", messages.LeaseExclusive)); code != "" {
		t.Fatal(code)
	}
	refused, _ := f.doLease(lease(v, "b", messages.LeaseShared)).(*messages.Error)
	if refused == nil || refused.Kind != messages.Exhausted || refused.Code != messages.WorktreeInUse || refused.Details["holder"] != "a" || !strings.Contains(refused.Error(), "session a") {
		t.Errorf("refused with %v", refused)
	}
	if _, err := f.ask(messages.SetupWorktree{Worktree: v.ID, Common: f.common}); err == nil || err.Code != messages.WorktreeInUse {
		t.Errorf("a setup beside an exclusive lease: %v", err)
	}
	f.restart() // as after SIGKILL: nothing is written at the end
	f.checkLeases()
	if code := f.take(lease(v, "b", messages.LeaseShared)); code != messages.WorktreeInUse {
		t.Errorf("a restart ends a lease: %q", code)
	}
	f.doLease(messages.EndLease{Worktree: v.ID, Holder: "a", How: messages.HolderStopped})
	if code := f.take(lease(v, "b", messages.LeaseShared)); code != "" {
		t.Errorf("a stop does not end the lease: %q", code)
	}
	if worktree, own, lapsed := f.registry.Lapsed("a"); !lapsed || worktree != v.ID || own.Mode != messages.LeaseExclusive {
		t.Errorf("the stopped session forgets its mode: %q %+v %v", worktree, own, lapsed)
	}
	if code := f.take(lease(v, "a", messages.LeaseExclusive)); code != messages.WorktreeInUse {
		t.Errorf("the stopped session takes its lease beside another: %q", code)
	}
	f.doLease(messages.ReleaseWorktree{Worktree: v.ID, Holder: "b"})
	if code := f.take(lease(v, "a", messages.LeaseExclusive)); code != "" {
		t.Errorf("the stopped session does not get its lease again: %q", code)
	}

	f.sessions = f.sessions[1:]
	f.restart()
	f.checkLeases()
	if all := f.registry.Plain("", nil)[0].Leases; len(all) != 1 || !all[0].Stale {
		t.Errorf("not flagged: %+v", all)
	}
	if code := f.take(lease(v, "b", messages.LeaseExclusive)); code != "" {
		t.Errorf("a stale lease excludes: %q", code)
	}
	if all := f.registry.Plain("", nil)[0].Leases; len(all) != 1 || all[0].Holder != "b" {
		t.Errorf("%+v", all)
	}
	f.take(lease(v, "not yet", messages.LeaseShared))
	f.checkLeases() // once in the life of a daemon
	f.doLease(messages.EndLease{Worktree: v.ID, Holder: "b", How: messages.HolderDeleted})
	if _, err := f.ask(messages.RemoveWorktree{Worktree: v.ID, Common: f.common}); err != nil {
		t.Fatal(err)
	}
	f.doLease(messages.EndLease{Worktree: v.ID, Holder: "b", How: messages.HolderStopped})
	if f.take(lease(v, "b", messages.LeaseShared)) != messages.WorktreeNotFound || len(f.registry.all("")) != 0 {
		t.Error("a removed worktree has leases")
	}
}

// A daemon that dies after the stop of a session leaves no lease of it; one that dies before the stop reached the session keeps it.
func TestDeathInStop(t *testing.T) {
	for name, c := range map[string]struct {
		record messages.SessionRecord
		held   bool
	}{
		"stopped":         {messages.SessionRecord{ID: "a"}, false},
		"about to":        {messages.SessionRecord{ID: "a", Turn: true, StopWanted: true}, false},
		"does not know":   {messages.SessionRecord{ID: "a", Turn: true}, true},
		"was refused":     {messages.SessionRecord{ID: "a"}, true},
		"only idle since": {messages.SessionRecord{ID: "a"}, true},
	} {
		f := newFixture(t)
		v := f.create(f.new("fresh"))
		f.sessions = []messages.SessionRecord{c.record}
		f.take(lease(v, "a", messages.LeaseExclusive))
		if name != "only idle since" {
			f.doLease(messages.EndLease{Worktree: v.ID, Holder: "a", How: messages.HolderEnding})
		}
		if name == "was refused" {
			f.doLease(messages.EndLease{Worktree: v.ID, Holder: "a", How: messages.HolderStays})
		}
		f.restart()
		f.checkLeases()
		if all := f.registry.Plain("", nil)[0].Leases; len(all) != 1 || all[0].Held() != c.held || all[0].Ending {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

func TestLeaseRefused(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	for _, m := range []messages.LeaseWorktree{lease(v, "", messages.LeaseShared), lease(v, "a", messages.LeaseNone), lease(v, "a", "other")} {
		if err, refused := f.doLease(m).(*messages.Error); !refused || err.Kind != messages.Invalid || err.Hint == "" {
			t.Errorf("%+v: %v", m, err)
		}
	}
	for n := range maxLeases {
		f.take(lease(v, messages.SessionID(rune('A'+n)), messages.LeaseShared))
	}
	if err, refused := f.doLease(lease(v, "one more", messages.LeaseShared)).(*messages.Error); !refused || err.Kind != messages.Exhausted || err.Hint == "" {
		t.Errorf("one more: %v", err)
	}
	if code := f.take(lease(v, "A", messages.LeaseShared)); code != "" {
		t.Errorf("again: %q", code)
	}
	if err := os.RemoveAll(v.Path); err != nil {
		t.Fatal(err)
	}
	if err, refused := f.doLease(lease(v, "A", messages.LeaseShared)).(*messages.Error); !refused || err.Kind != messages.WrongState {
		t.Errorf("stale worktree: %v", err)
	}
}

// Callers that wait are served in order; no caller overtakes one that it would exclude.
func TestLeaseQueue(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	synctest.Test(t, func(t *testing.T) {
		take := func(m messages.LeaseWorktree) (messages.Reply, error) {
			if err, refused := f.doLease(m).(*messages.Error); refused {
				return nil, err
			}
			return messages.Done{}, nil
		}
		var mu sync.Mutex
		var order []messages.SessionID
		var all sync.WaitGroup
		wait := func(ctx context.Context, holder messages.SessionID, mode messages.LeaseMode) {
			all.Go(func() {
				m := lease(v, holder, mode)
				m.Wait = true
				_, err := f.registry.Wait(ctx, m, take)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					order = append(order, holder)
				} else if !errors.Is(ctx.Err(), context.Canceled) {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		f.take(lease(v, "first", messages.LeaseShared))
		impatient, leave := context.WithCancel(t.Context())
		wait(impatient, "impatient", messages.LeaseExclusive)
		wait(t.Context(), "exclusive", messages.LeaseExclusive)
		wait(t.Context(), "shared", messages.LeaseShared)
		if code := f.take(lease(v, "late", messages.LeaseShared)); code != messages.WorktreeInUse {
			t.Errorf("a newcomer passes those that wait: %q", code)
		}
		leave()
		synctest.Wait()
		if len(order) != 0 {
			t.Errorf("served %v", order)
		}
		for n, holder := range []messages.SessionID{"first", "exclusive", "shared"} {
			f.doLease(messages.ReleaseWorktree{Worktree: v.ID, Holder: holder})
			synctest.Wait()
			mu.Lock()
			if len(order) != min(n+1, 2) {
				t.Errorf("after the release of %s: served %v", holder, order)
			}
			mu.Unlock()
		}
		all.Wait()
		if len(order) != 2 || order[0] != "exclusive" || order[1] != "shared" {
			t.Errorf("served %v", order)
		}
		if len(f.registry.queue.waiting) != 0 {
			t.Errorf("left over: %v", f.registry.queue.waiting)
		}
	})
}
