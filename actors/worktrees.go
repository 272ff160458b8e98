package actors

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"betcode/actors/internal/paths"
	"betcode/actors/worktree"
	"betcode/messages"
)

// worktreePatience bounds the wait for a change of a repository: others may be queued before it, and a large checkout takes
// minutes. The change goes on when the caller stops waiting.
const worktreePatience = 15 * time.Minute

// worktreeDeps returns what worktrees need.
func (s *System) worktreeDeps() worktree.Deps {
	return worktree.Deps{
		Common: s.common(), Registry: s.registry, Repos: s.repos, Git: s.git, Spare: s.room.SpareAt, Sessions: s.allSessions,
		Protected: func(path string) string { return s.protected.Exposed(filepath.ToSlash(path)) },
		Setup: func() worktree.Setup {
			now := s.settings.Load()
			return worktree.Setup{Commands: now.SetupCommands, Limit: now.SetupTime}
		},
		Trusted: func(dir string) (map[string]string, bool) {
			review, err := s.directories.Review(messages.ReviewDirectory{Directory: dir})
			found, ok := review.(messages.DirectoryReview)
			return found.Files, err == nil && ok && found.Trusted
		},
		Variable:  s.inherited,
		Retention: func() time.Duration { return s.settings.Load().WorktreeRetention }, Audit: s.audit,
		Stop: func(ctx context.Context, id messages.SessionID) (bool, error) {
			answer, err := s.ask(ctx, s.sessions, messages.StopSession{Session: id})
			stopped, _ := answer.(messages.SessionStopped)
			return stopped.WasRunning, err
		},
	}
}

// inherited returns a variable of the environment that agents inherit; empty if there is none.
func (s *System) inherited(name string) string {
	for _, entry := range slices.Backward(s.options.Environment) {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

// allSessions returns the sessions that may work in worktrees: all sessions, or none if there are no worktrees.
func (s *System) allSessions() ([]messages.SessionRecord, error) {
	if s.registry.Empty() {
		return nil, nil
	}
	found, _, err := s.options.Store.Sessions("", "", 0, 0)
	return found, err
}

// keptWorktrees returns all worktrees, without a look at their files.
func (s *System) keptWorktrees() ([]messages.WorktreeView, error) {
	if s.registry == nil {
		return nil, nil
	}
	sessions, err := s.allSessions()
	return s.registry.Plain("", sessions), err
}

// worktree answers a request about worktrees. Questions are answered on the caller's goroutine, changes by the actor of the
// repository, one after the other.
func (s *System) worktree(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if s.registry == nil {
		return nil, noWorktrees("change worktrees")
	}
	if known, err := s.registry.Repeated("change worktree", r); known != nil || err != nil {
		return known, err
	}
	var change messages.WorktreeRequest
	var err error
	switch m := r.(type) {
	case messages.ListWorktrees:
		return s.listWorktrees(ctx, m)
	case messages.GetWorktree:
		return s.getWorktree(ctx, m)
	case messages.PruneWorktrees:
		return s.pruneWorktrees(ctx, m)
	case messages.ReadSetup:
		if m.Worktree, _, err = s.registry.Repository("read setup", m.Worktree); err != nil {
			return nil, err
		}
		return result(s.registry.ReadSetup(m))
	case messages.CancelSetup:
		return s.cancelSetup(ctx, m)
	case messages.CreateWorktree:
		found, failed := s.git.Repository(ctx, m.Directory)
		m.Common, m.Main = found.Common, found.Main
		change, err = m, failed
	case messages.MergeBranches:
		found, failed := s.git.Repository(ctx, m.Directory)
		m.Common = found.Common
		change, err = m, failed
	case messages.SwitchWorktree:
		m.Worktree, m.Common, err = s.worktreeNamed("switch worktree", m.By, m.Worktree)
		change = m
	case messages.SetupWorktree:
		m.Worktree, m.Common, err = s.worktreeNamed("set up worktree", m.By, m.Worktree)
		change = m
	case messages.RemoveWorktree:
		m.Worktree, m.Common, err = s.worktreeNamed("remove worktree", m.By, m.Worktree)
		change = m
	}
	if err != nil {
		return nil, messages.AsError("change worktree", err)
	}
	return s.changeWorktree(ctx, change)
}

// worktreeNamed returns id and repository of the worktree that a change names. It also finds a worktree that has been removed
// since, if an earlier daemon began the change.
func (s *System) worktreeNamed(op string, by messages.By, reference string) (id, common string, err error) {
	if target, common, begun := s.registry.Begun(by); begun {
		return target, common, nil
	}
	return s.registry.Repository(op, reference)
}

// cancelSetup ends the setup of a worktree on the caller's goroutine.
func (s *System) cancelSetup(ctx context.Context, m messages.CancelSetup) (messages.Reply, error) {
	id, common, err := s.registry.Repository("cancel setup", m.Worktree)
	if err == nil {
		err = s.registry.CancelSetup(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	s.audit(messages.AuditEntry{
		Type: messages.AuditSetupCanceled, ActorType: messages.ActorUser, ActorID: string(m.Client), Outcome: messages.OutcomeSuccess,
		Context: map[string]string{"worktree_id": id},
	})
	answer, err := s.getWorktree(ctx, messages.GetWorktree{Worktree: id})
	if err == nil {
		err = s.registry.StoreAnswer(m.By, id, common, answer, s.now())
	}
	return answer, err
}

// changeWorktree sends a change to its repository and writes it to the audit log.
func (s *System) changeWorktree(ctx context.Context, change messages.WorktreeRequest) (messages.Reply, error) {
	entry, audited := s.worktreeEntry(change)
	answer, err := s.askWithin(ctx, worktreePatience, s.worktrees, change)
	if again, repeated := answer.(worktree.Again); repeated {
		return again.Reply, err
	}
	if err == nil && audited {
		if v, ok := answer.(messages.WorktreeView); ok {
			entry.Context["worktree_id"], entry.Context["path"] = v.ID, v.Path
		}
		s.audit(entry)
	}
	return answer, err
}

// noWorktrees returns the error of a daemon that keeps no worktrees.
func noWorktrees(op string) error {
	return messages.Errorf(op, messages.Unimplemented, "this daemon keeps no worktrees")
}

func (s *System) listWorktrees(ctx context.Context, m messages.ListWorktrees) (messages.Reply, error) {
	const op = "list worktrees"
	common := ""
	if m.Directory != "" {
		found, err := s.git.Repository(ctx, m.Directory)
		if err != nil {
			return nil, messages.AsError(op, err)
		}
		common = found.Common
	}
	sessions, err := s.allSessions()
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	return messages.WorktreeList{Worktrees: s.registry.Views(ctx, s.git, common, sessions)}, nil
}

// pruneWorktrees removes unused worktrees, one after the other.
func (s *System) pruneWorktrees(ctx context.Context, m messages.PruneWorktrees) (messages.Reply, error) {
	listed, err := s.listWorktrees(ctx, messages.ListWorktrees{Directory: m.Directory})
	if err != nil {
		return nil, err
	}
	list, _ := listed.(messages.WorktreeList)
	pruned := messages.WorktreesPruned{Examined: len(list.Worktrees)}
	for _, v := range list.Worktrees {
		if worktree.Kept(v, m.UnusedSince) != "" {
			continue
		}
		p := messages.PrunedWorktree{Worktree: v}
		if !m.DryRun {
			remove := messages.RemoveWorktree{By: messages.By{Client: m.Client}, Worktree: v.ID}
			if v.State != messages.WorktreeStale {
				remove.UnusedSince = m.UnusedSince
			}
			if _, err := s.worktree(ctx, remove); err != nil {
				p.Problem = messages.AsError("prune worktrees", err)
			}
			p.Removed = p.Problem == nil
		}
		pruned.Worktrees = append(pruned.Worktrees, p)
	}
	return pruned, ctx.Err()
}

func (s *System) getWorktree(ctx context.Context, m messages.GetWorktree) (messages.Reply, error) {
	sessions, err := s.allSessions()
	if err != nil {
		return nil, messages.AsError("show worktree", err)
	}
	return s.registry.View(ctx, s.git, m.Worktree, sessions)
}

// inWorktree gives a new session the directory of its worktree, or the worktree of its directory. A session that exists
// keeps both.
func (s *System) inWorktree(m messages.StartSession) (messages.StartSession, error) {
	const op = "start session"
	if m.WorktreeID == "" && s.registry == nil || s.queries.Exists(m.Session) {
		return m, nil
	}
	if s.registry == nil {
		return m, noWorktrees(op)
	}
	if m.WorktreeID == "" {
		m.WorktreeID = s.registry.Of(m.WorkingDirectory)
		return m, nil
	}
	id, path, err := s.registry.Usable(op, m.WorktreeID)
	if err != nil {
		return m, err
	}
	m.WorktreeID = id
	if m.WorkingDirectory == "" {
		m.WorkingDirectory = path
	}
	if !paths.Below(m.WorkingDirectory, path) {
		return m, messages.Errorf(op, messages.Invalid, "working directory %s is not in the worktree at %s", m.WorkingDirectory, path).
			WithHint("Leave one of them out.")
	}
	return m, nil
}
