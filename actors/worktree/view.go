package worktree

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"betcode/actors/internal/git"
	"betcode/messages"
)

// Bounds of a query.
const (
	lookTime    = 10 * time.Second // all worktrees of an answer
	lookAtOnce  = 4                // worktrees
	maxMeasured = 1_000_000        // files in each worktree whose sizes are measured
)

// Views returns the worktrees of a repository, or all for an empty common, with their state in git and on the disk. It runs on
// the caller's goroutine. It leaves out what it cannot find out in time.
func (r *Registry) Views(ctx context.Context, g *git.Git, common string, sessions []messages.SessionRecord) []messages.WorktreeView {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	views := r.Plain(common, sessions)
	var all sync.WaitGroup
	slots := make(chan struct{}, lookAtOnce)
	for n := range views {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			work(ctx, g, &views[n])
		})
	}
	all.Wait()
	return views
}

// Plain is [Registry.Views] without a look at the files of the worktrees.
func (r *Registry) Plain(common string, sessions []messages.SessionRecord) []messages.WorktreeView {
	var views []messages.WorktreeView
	actives := map[string]string{}
	for _, rec := range r.all(common) {
		if _, known := actives[rec.Common]; !known {
			actives[rec.Common] = active(r.all(rec.Common))
		}
		views = append(views, viewOf(rec, actives[rec.Common], sessions))
	}
	return views
}

// View returns the worktree that a reference names.
func (r *Registry) View(ctx context.Context, g *git.Git, reference string, sessions []messages.SessionRecord) (messages.WorktreeView, error) {
	rec, err := r.find("show worktree", reference)
	if err != nil {
		return messages.WorktreeView{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	v := viewOf(rec, active(r.all(rec.Common)), sessions)
	work(ctx, g, &v)
	return v, nil
}

// viewOf returns a record as clients see it. sessions are all sessions.
func viewOf(rec record, active string, sessions []messages.SessionRecord) messages.WorktreeView {
	v := messages.WorktreeView{
		ID: rec.ID, Name: rec.Name, Path: rec.Path, Branch: rec.Branch, Repository: rec.Main, State: rec.state(),
		Active: rec.ID == active, CreatedAt: rec.CreatedAt, Setup: rec.Setup, Leases: rec.Leases,
	}
	var last time.Time
	for _, s := range sessions {
		if worksIn(s, rec) {
			v.Sessions++
			if v.ActiveSession == "" || s.UpdatedAt.After(last) {
				v.ActiveSession, last = s.ID, s.UpdatedAt
			}
		}
	}
	v.LastUsed = slices.MaxFunc([]time.Time{rec.CreatedAt, rec.SwitchedTo, last}, time.Time.Compare)
	return v
}

// work adds the state of git and the disk to a view.
func work(ctx context.Context, g *git.Git, v *messages.WorktreeView) {
	if v.State != messages.WorktreeReady {
		return
	}
	s, err := g.Status(ctx, v.Path)
	if err != nil {
		return // the view marks it as unknown
	}
	if s.Branch != "" {
		v.Branch = s.Branch // another branch may have been checked out since
	}
	v.Work = &messages.WorktreeWork{
		Commit: s.Commit, Changed: s.Changed, Untracked: s.Foreign, Upstream: s.Upstream, Ahead: s.Ahead, Behind: s.Behind, Unpushed: s.Unpushed,
	}
	v.Work.DiskBytes, v.Work.DiskFailed = measure(ctx, v.Path)
}

// measure adds up the sizes of the files in a directory. It does not follow links. partial reports that it did not see all files.
func measure(ctx context.Context, dir string) (total uint64, partial bool) {
	seen := 0
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if seen++; seen > maxMeasured || ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil {
			partial = true
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			total += uint64(info.Size())
		}
		return nil
	})
	return total, partial || err != nil || seen > maxMeasured || ctx.Err() != nil
}
