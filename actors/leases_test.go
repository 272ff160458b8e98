package actors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"betcode/actors/internal/git/gittest"
	"betcode/messages"
)

// inRepository starts a system that keeps worktrees, with a repository, and returns the id of a worktree of that repository.
func inRepository(t *testing.T) (*stage, string) {
	t.Helper()
	dir := gittest.Directory(t)
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "project")
	gittest.Configure(t, home)
	gittest.Write(t, filepath.Join(project, "README"), "read me\n", 0o600)
	gittest.Commit(t, home, project)
	s := raise(t, newMemoryStore(), func(o *Options) {
		o.WorktreesDirectory, o.ReposDirectory = filepath.Join(dir, "state", "worktrees"), filepath.Join(dir, "state", "repositories")
		o.Environment = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	})
	w := must[messages.WorktreeView](s, messages.CreateWorktree{Directory: project, Branch: "fresh", CreateBranch: true})
	return s, w.ID
}

// Of many sessions that start in a worktree at once, one gets an exclusive lease; and no session starts there after that.
func TestExclusiveStarts(t *testing.T) {
	s, worktree := inRepository(t)
	for round := range 3 {
		const starts = 32
		var all sync.WaitGroup
		errs := make([]error, starts)
		mode := func(n int) messages.LeaseMode {
			return []messages.LeaseMode{messages.LeaseExclusive, messages.LeaseNone, messages.LeaseExclusive, messages.LeaseShared}[n%4]
		}
		id := func(n int) messages.SessionID {
			return messages.SessionID(fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", round, n))
		}
		for n := range starts {
			all.Go(func() {
				m := messages.StartSession{Session: id(n), Client: "ann", WorktreeID: worktree, Lease: mode(n)}
				if n >= starts/2 {
					m.Lease = messages.LeaseExclusive
				}
				_, errs[n] = s.Ask(t.Context(), m)
			})
		}
		all.Wait()
		var holders []messages.SessionID
		for n, err := range errs {
			var refused *messages.Error
			switch {
			case errors.As(err, &refused) && refused.Code == messages.WorktreeInUse:
				if s.queries.Exists(id(n)) {
					t.Errorf("%s was refused and is there", id(n))
				}
			case err != nil:
				t.Errorf("%s: %v", id(n), err)
			case n >= starts/2 || mode(n) == messages.LeaseExclusive:
				holders = append(holders, id(n))
			}
		}
		leases := must[messages.WorktreeView](s, messages.GetWorktree{Worktree: worktree}).Leases
		for _, l := range leases {
			if len(holders) > 0 && l.Holder != holders[0] || !s.queries.Exists(l.Holder) {
				t.Errorf("%s got an exclusive lease, and the holders are %v", l.Holder, holders)
			}
		}
		if len(holders) > 1 || len(leases) == 0 {
			t.Errorf("exclusive: %v, leases %+v", holders, leases)
		}
		for _, l := range leases {
			must[messages.Done](s, messages.DeleteSession{Session: l.Holder})
		}
		s.eventually("no lease is left", func() bool {
			return len(must[messages.WorktreeView](s, messages.GetWorktree{Worktree: worktree}).Leases) == 0
		})
	}
}

// A message to a session without a lease is either taken before an exclusive lease is answered, or refused.
func TestExclusiveLeaseBesideMessages(t *testing.T) {
	s, worktree := inRepository(t)
	must[messages.SessionStarted](s, messages.StartSession{Session: sessionN(1), Client: "ann", WorktreeID: worktree})
	const sends = 24
	var all sync.WaitGroup
	refusals := make([]error, sends)
	granted := make(chan struct{})
	all.Go(func() {
		defer close(granted)
		if _, err := s.Ask(t.Context(), messages.StartSession{Session: sessionN(2), Client: "bob", WorktreeID: worktree, Lease: messages.LeaseExclusive}); err != nil {
			t.Errorf("the lease: %v", err)
		}
	})
	for n := range sends {
		all.Go(func() {
			if n%2 == 1 {
				<-granted
			}
			_, refusals[n] = s.Ask(t.Context(), message(sessionN(1), n+1))
		})
	}
	all.Wait()
	for n, err := range refusals {
		var refused *messages.Error
		if n%2 == 1 && err == nil || err != nil && (!errors.As(err, &refused) || refused.Code != messages.WorktreeInUse) {
			t.Errorf("message %d: %v", n, err)
		}
	}
}
