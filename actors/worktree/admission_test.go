package worktree

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"betcode/messages"
)

// leased is a registry with one worktree that sessions lease.
func leasedRegistry(all ...messages.WorktreeLease) *Registry {
	return &Registry{records: map[string]record{"w": {ID: "w", Name: "fresh", Leases: all}}}
}

// exclude gives a session an exclusive lease, as the actor of the repository does, without its file.
func (r *Registry) exclude(holder messages.SessionID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec := r.records["w"]
	granted, other := rec.Leases.grant(rec.CreatedAt, messages.LeaseWorktree{Holder: holder, Mode: messages.LeaseExclusive}, nil)
	if rec.Leases = granted; other == nil {
		r.records["w"] = rec
	}
	return other == nil
}

// The request of a session that was admitted before an exclusive lease is done when the lease is answered; none is admitted later.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := leasedRegistry()
		before, err := r.Admit("start session", "w", "a")
		if err != nil {
			t.Fatal(err)
		}
		own, err := r.Admit("start session", "w", "b")
		if err != nil {
			t.Fatal(err)
		}
		if !r.exclude("b") {
			t.Fatal("a session that is admitted excludes a lease")
		}
		drained := make(chan error, 1)
		go func() { drained <- r.Drain(t.Context(), "w", "b") }()
		synctest.Wait()
		var refused *messages.Error
		if _, err := r.Admit("start session", "w", "c"); !errors.As(err, &refused) || refused.Code != messages.WorktreeInUse || refused.Details["holder"] != "b" {
			t.Errorf("admitted beside an exclusive lease: %v", err)
		}
		again, err := r.Admit("start session", "w", "b")
		if err != nil || r.Admitted("w", "b") != 2 {
			t.Errorf("the holder: %v, %d", err, r.Admitted("w", "b"))
		}
		select {
		case err := <-drained:
			t.Fatalf("the lease is answered while a session begins: %v", err)
		default:
		}
		forked, err := r.Enter("fork session", "w", "d")
		if err != nil {
			t.Errorf("a fork beside an exclusive lease: %v", err)
		}
		forked()
		before()
		before() // once counts
		if err := <-drained; err != nil {
			t.Error(err)
		}
		again()
		own()
		if len(r.admissions.under) != 0 {
			t.Errorf("left over: %v", r.admissions.under)
		}
		stuck, err := leasedRegistry().Admit("start session", "w", "a")
		if err != nil {
			t.Fatal(err)
		}
		stuck()
	})
}

// A caller that waits for other sessions can give up.
func TestDrainEnds(t *testing.T) {
	r := leasedRegistry()
	if _, err := r.Admit("start session", "w", "a"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Drain(ctx, "w", "b"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// With any number of sessions that begin at once: while one has an exclusive lease and has drained the others, it is alone.
func TestExclusiveIsAlone(t *testing.T) {
	r := leasedRegistry()
	var inside atomic.Int64
	var alone, beside atomic.Int64
	var all sync.WaitGroup
	for n := range 64 {
		id := messages.SessionID(fmt.Sprint("s", n))
		all.Go(func() {
			for range 50 {
				done, err := r.Admit("start session", "w", id)
				if err != nil {
					continue
				}
				if n%8 != 0 {
					inside.Add(1)
					beside.Add(1)
					inside.Add(-1)
				} else if r.exclude(id) {
					if err := r.Drain(t.Context(), "w", id); err != nil {
						t.Error(err)
					}
					if others := inside.Load(); others != 0 {
						t.Errorf("%d others work in it", others)
					}
					alone.Add(1)
					r.mu.Lock()
					rec := r.records["w"]
					rec.Leases = rec.Leases.without(id)
					r.records["w"] = rec
					r.mu.Unlock()
				}
				done()
			}
		})
	}
	all.Wait()
	if alone.Load() == 0 || beside.Load() == 0 {
		t.Errorf("%d alone, %d beside each other: nothing was shown", alone.Load(), beside.Load())
	}
}
