package worktree

import (
	"context"
	"fmt"
	"strings"

	"betcode/actors/internal/git"
	"betcode/messages"
	"betcode/messages/gitname"
)

// register adds the repository to the registry.
func (c *changes) register(m messages.RegisterRepository, e *request) (messages.Reply, error) {
	if rec, made := c.repositories.of(m.Key); made && e != nil && e.resumed {
		return rec.view(c.registry), nil
	}
	if err := c.placeable(m.Settings); err != nil {
		return nil, err
	}
	rec, err := c.repositories.add(c.deps.Now(), m)
	if err != nil {
		return nil, err
	}
	c.log.Info().Str("repository", rec.ID).Str("path", rec.Main).Msg("repository registered")
	return rec.view(c.registry), nil
}

// placeable refuses a directory in which no worktree may be made.
func (c *changes) placeable(s messages.RepositorySettings) error {
	if s.Mode != messages.PlaceCustom || s.Path == "" {
		return nil
	}
	if why := c.deps.Protected(s.Path); why != "" {
		return messages.Errorf(opRegister, messages.Denied, "no worktree is made in %s: %s", clip(s.Path), why).WithHint("Choose another directory.")
	}
	return nil
}

// updateRepository changes the settings of the repository.
func (c *changes) updateRepository(m messages.UpdateRepository) (messages.Reply, error) {
	if m.Path != nil {
		if err := c.placeable(messages.RepositorySettings{Mode: messages.PlaceCustom, Path: *m.Path}); err != nil {
			return nil, err
		}
	}
	rec, err := c.repositories.change(m.Repo, func(s *messages.RepositorySettings) {
		set(&s.Name, m.Name)
		set(&s.Mode, m.Mode)
		set(&s.Subfolder, m.Subfolder)
		set(&s.Path, m.Path)
		set(&s.Ignore, m.Ignore)
	})
	if err != nil {
		return nil, err
	}
	return rec.view(c.registry), nil
}

// set replaces a value if there is a new one.
func set[T any](value, to *T) {
	if to != nil {
		*value = *to
	}
}

// unregister removes the repository from the registry, and before that its worktrees if the request says so. It keeps worktrees
// with work that would be lost, and then also the repository.
func (c *changes) unregister(ctx context.Context, lock *git.Lock, m messages.UnregisterRepository, e *request) (messages.Reply, error) {
	first, begun := prepared[messages.RepositoryUnregistered](e)
	if _, there := c.repositories.of(m.Repo); begun && !there {
		return first, nil
	}
	if !begun && m.Worktrees {
		first.Worktrees = len(c.registry.all(c.common))
	}
	if err := c.prepare(e, first); err != nil {
		return nil, err
	}
	removed := 0
	if m.Worktrees {
		for _, w := range c.registry.all(c.common) {
			if _, err := c.remove(ctx, lock, messages.RemoveWorktree{Worktree: w.ID}, nil); err != nil {
				return nil, fmt.Errorf("unregister repository: %d worktrees are removed: %w", removed, err)
			}
			removed++
		}
	}
	if err := c.repositories.drop(m.Repo); err != nil {
		return nil, err
	}
	c.log.Info().Str("repository", m.Repo).Int("worktrees", removed).Msg("repository unregistered")
	return first, nil
}

const (
	opBranch       = "create branch"
	opDeleteBranch = "delete branch"
)

// createBranch creates a branch.
func (c *changes) createBranch(ctx context.Context, lock *git.Lock, m messages.CreateBranch, e *request) (messages.Reply, error) {
	at, exists, err := c.git.Branch(ctx, c.common, m.Name)
	if err != nil {
		return nil, err
	}
	if first, begun := prepared[messages.BranchView](e); begun && exists && at == first.Commit {
		return Branch(ctx, c.git, c.common, m.Name)
	}
	if exists {
		return nil, messages.Errorf(opBranch, messages.AlreadyExists, "branch %s exists in %s", m.Name, m.Main).WithHint("Choose another name.")
	}
	if err := c.clash(ctx, opBranch, m.Name); err != nil {
		return nil, err
	}
	base := m.Start
	if base == "" {
		base = "HEAD"
	}
	start, exists, err := c.git.Commit(ctx, m.Main, base)
	if err == nil && !exists {
		err = messages.Errorf(opBranch, messages.NotFound, "%s is no commit in %s", clip(base), m.Main).WithHint("Name a commit, a branch or a tag.")
	}
	if err != nil {
		return nil, err
	}
	if err := c.prepare(e, messages.BranchView{Name: m.Name, Commit: start}); err != nil {
		return nil, err
	}
	if err := c.git.CreateBranch(ctx, lock, c.common, m.Name, start); err != nil {
		return nil, err
	}
	c.log.Info().Str("branch", m.Name).Str("commit", start).Msg("branch created")
	return Branch(ctx, c.git, c.common, m.Name)
}

// deleteBranch deletes a branch, if no commit is lost or the caller accepts that.
func (c *changes) deleteBranch(ctx context.Context, lock *git.Lock, m messages.DeleteBranch, e *request) (messages.Reply, error) {
	commit, exists, err := c.git.Branch(ctx, c.common, m.Name)
	if err != nil {
		return nil, err
	}
	if _, begun := prepared[messages.Done](e); begun && !exists {
		return messages.Done{}, nil
	}
	if !exists {
		return nil, noBranch(opDeleteBranch, m.Name)
	}
	trees, err := c.git.Trees(ctx, c.common)
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if t.Branch == m.Name && !t.Bare {
			return nil, messages.Errorf(opDeleteBranch, messages.WrongState, "branch %s is checked out at %s", m.Name, t.Path).With("path", t.Path).
				WithHint("Remove that worktree, or check another branch out there.")
		}
	}
	if !m.Force {
		lost, err := c.git.Unpushed(ctx, c.common, commit, m.Name)
		if err != nil {
			return nil, err
		}
		if lost > 0 {
			return nil, messages.Errorf(opDeleteBranch, messages.WrongState, "branch %s has %s neither pushed nor in another branch", m.Name, messages.Count(lost, "commit")).
				WithHint("Push or merge it, or give them up: betcode repo branches delete --force " + m.Repo + " " + m.Name)
		}
	}
	if err := c.prepare(e, messages.Done{}); err != nil {
		return nil, err
	}
	if err := c.git.DeleteBranch(ctx, lock, c.common, m.Name, commit); err != nil {
		return nil, err
	}
	c.log.Info().Str("branch", m.Name).Str("commit", commit).Msg("branch deleted")
	return messages.Done{}, nil
}

func noBranch(op, name string) *messages.Error {
	return messages.Errorf(op, messages.NotFound, "the repository has no branch %s", clip(name)).WithHint("'betcode repo branches list' shows them.")
}

// CheckBranch refuses a name that git would not accept for a branch, and a start that is no revision.
func CheckBranch(op, name, start string) error {
	if strings.HasPrefix(start, "-") || len(start) > 1000 || strings.ContainsAny(start, "\x00\n") {
		return messages.Errorf(op, messages.Invalid, "start %q is no revision", clip(start)).WithHint("Name a commit, a branch or a tag.")
	}
	if err := gitname.CheckBranch(name); err != nil {
		return messages.Errorf(op, messages.Invalid, "branch %q: %w", clip(name), err).WithHint("Choose a name that git accepts for a branch.")
	}
	return nil
}

// Branches returns the branches of a repository. It runs on the caller's goroutine.
func Branches(ctx context.Context, g *git.Git, common string, remote bool) ([]messages.BranchView, error) {
	return branches(ctx, g, common, "", remote)
}

// Branch returns one branch of a repository.
func Branch(ctx context.Context, g *git.Git, common, name string) (messages.BranchView, error) {
	found, err := branches(ctx, g, common, name, false)
	if err != nil {
		return messages.BranchView{}, err
	}
	if len(found) == 0 {
		return messages.BranchView{}, noBranch("show branch", name)
	}
	return found[0], nil
}

func branches(ctx context.Context, g *git.Git, common, name string, remote bool) ([]messages.BranchView, error) {
	refs, err := g.Branches(ctx, common, name, remote)
	if err != nil {
		return nil, err
	}
	trees, err := g.Trees(ctx, common)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, t := range trees {
		out[t.Branch] = !t.Bare
	}
	views := make([]messages.BranchView, 0, len(refs))
	for _, r := range refs {
		views = append(views, messages.BranchView{
			Name: r.Name, Commit: r.Commit, Subject: clip(r.Subject), Head: r.Head && !r.Remote, Worktree: !r.Remote && out[r.Name], Remote: r.Remote,
		})
	}
	return views, nil
}
