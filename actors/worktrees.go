package actors

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"betcode/actors/internal/checks"
	"betcode/actors/worktree"
	"betcode/messages"
)

// worktreePatience bounds the wait for a change of a repository: others may be before it, and a large checkout takes
// minutes. The change goes on when the caller has gone.
const worktreePatience = 15 * time.Minute

// worktreeDeps returns what worktrees need.
func (s *System) worktreeDeps() worktree.Deps {
	return worktree.Deps{
		Common: s.common(), Registry: s.registry, Git: s.git, Spare: s.room.SpareAt, Sessions: s.allSessions,
		Protected: func(path string) string { return s.protected.Exposed(filepath.ToSlash(path)) },
		Setup: func() worktree.Setup {
			now := s.settings.Load()
			return worktree.Setup{Commands: now.SetupCommands, Limit: now.SetupTime}
		},
		Trusted: func(dir string) bool {
			review, err := s.directories.Review(messages.ReviewDirectory{Directory: dir})
			found, ok := review.(messages.DirectoryReview)
			return err == nil && ok && found.Trusted
		},
		Variable: s.inherited,
		Stop: func(ctx context.Context, id messages.SessionID) (bool, error) {
			answer, err := s.ask(ctx, s.sessions, messages.StopSession{Session: id})
			stopped, _ := answer.(messages.SessionStopped)
			return stopped.WasRunning, err
		},
	}
}

// inherited returns a variable of the environment that the daemon hands on; empty if there is none.
func (s *System) inherited(name string) string {
	for _, entry := range slices.Backward(s.options.Environment) {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

func (s *System) allSessions() ([]messages.SessionRecord, error) {
	found, _, err := s.options.Store.Sessions("", "", 0, 0)
	return found, err
}

// keptWorktrees returns all worktrees, without their work.
func (s *System) keptWorktrees() ([]messages.WorktreeView, error) {
	if s.registry == nil {
		return nil, nil
	}
	sessions, err := s.allSessions()
	return s.registry.Plain("", sessions), err
}

// keepsWorktrees refuses where no worktrees are kept.
func (s *System) keepsWorktrees(op string) error {
	if s.registry == nil {
		return messages.Errorf(op, messages.Unimplemented, "this daemon keeps no worktrees")
	}
	return nil
}

// listWorktrees runs on the caller's goroutine.
func (s *System) listWorktrees(ctx context.Context, m messages.ListWorktrees) (messages.Reply, error) {
	const op = "list worktrees"
	if err := s.keepsWorktrees(op); err != nil {
		return nil, err
	}
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

// getWorktree runs on the caller's goroutine.
func (s *System) getWorktree(ctx context.Context, m messages.GetWorktree) (messages.Reply, error) {
	const op = "show worktree"
	if err := s.keepsWorktrees(op); err != nil {
		return nil, err
	}
	sessions, err := s.allSessions()
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	view, err := s.registry.View(ctx, s.git, m.Worktree, sessions)
	return view, err
}

func (s *System) createWorktree(ctx context.Context, m messages.CreateWorktree) (messages.Reply, error) {
	const op = "create worktree"
	if err := s.keepsWorktrees(op); err != nil {
		return nil, err
	}
	found, err := s.git.Repository(ctx, m.Directory)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	m.Common, m.Main = found.Common, found.Main
	return s.askWithin(ctx, worktreePatience, s.worktrees, m)
}

func (s *System) switchWorktree(ctx context.Context, m messages.SwitchWorktree) (messages.Reply, error) {
	const op = "switch worktree"
	err := s.keepsWorktrees(op)
	if err == nil {
		m.Worktree, m.Common, err = s.registry.Repository(op, m.Worktree)
	}
	if err != nil {
		return nil, err
	}
	return s.askWithin(ctx, worktreePatience, s.worktrees, m)
}

func (s *System) setUpWorktree(ctx context.Context, m messages.SetupWorktree) (messages.Reply, error) {
	const op = "set up worktree"
	err := s.keepsWorktrees(op)
	if err == nil {
		m.Worktree, m.Common, err = s.registry.Repository(op, m.Worktree)
	}
	if err != nil {
		return nil, err
	}
	return s.askWithin(ctx, worktreePatience, s.worktrees, m)
}

func (s *System) removeWorktree(ctx context.Context, m messages.RemoveWorktree) (messages.Reply, error) {
	const op = "remove worktree"
	err := s.keepsWorktrees(op)
	if err == nil {
		m.Worktree, m.Common, err = s.registry.Repository(op, m.Worktree)
	}
	if err != nil {
		return nil, err
	}
	return s.askWithin(ctx, worktreePatience, s.worktrees, m)
}

// inWorktree gives a new session the directory of its worktree, or the worktree of its directory. A session that exists
// keeps both.
func (s *System) inWorktree(m messages.StartSession) (messages.StartSession, error) {
	const op = "start session"
	if m.WorktreeID == "" && s.registry == nil || s.queries.Exists(m.Session) {
		return m, nil
	}
	if err := s.keepsWorktrees(op); err != nil {
		return m, err
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
	if !checks.Below(m.WorkingDirectory, path) {
		return m, messages.Errorf(op, messages.Invalid, "working directory %s is not in the worktree at %s", m.WorkingDirectory, path).
			WithHint("Leave one of them out.")
	}
	return m, nil
}
