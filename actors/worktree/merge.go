package worktree

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"betcode/actors/internal/git"
	"betcode/actors/internal/paths"
	"betcode/messages"
)

const opMerge = "merge branches"

// merge merges branches into another one, or changes nothing. It makes the merge of an id once.
func (c *changes) merge(ctx context.Context, lock *git.Lock, m messages.MergeBranches) (messages.Reply, error) {
	if err := c.resumeMerges(ctx, lock); err != nil {
		return nil, err
	}
	planned := git.Merge{Common: c.common, Into: m.Into}
	commit, exists, err := c.git.Branch(ctx, c.common, m.Into)
	if err == nil && !exists {
		err = messages.Errorf(opMerge, messages.NotFound, "there is no branch %s", clip(m.Into)).WithHint("Create it: betcode repo branches create")
	}
	if err != nil {
		return nil, err
	}
	planned.Old = commit
	made, err := c.git.Merged(ctx, c.common, commit, m.ID)
	if err != nil || made != "" {
		return messages.BranchesMerged{Commit: made}, err
	}
	trees, err := c.git.Trees(ctx, c.common)
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if err := c.committed(ctx, t, m.Branches); err != nil {
			return nil, err
		}
	}
	if planned.Tree, err = c.target(ctx, m, trees); err != nil {
		return nil, err
	}
	planned, err = c.git.PlanMerge(ctx, lock, planned, m.Branches, m.ID)
	var conflict *git.ConflictError
	switch {
	case errors.As(err, &conflict):
		return nil, messages.Errorf(opMerge, messages.WrongState, "into %s: %w", m.Into, err).WithCode(messages.MergeConflict).With("branch", conflict.Branch).
			With("paths", strings.Join(conflict.Paths, "\n")).WithHint("Merge " + m.Into + " into " + conflict.Branch + " and resolve the conflicts there, then retry the step.")
	case err != nil:
		return nil, err
	case planned.New == planned.Old:
		return messages.BranchesMerged{Commit: planned.Old}, nil
	}
	if inTheWay, err := c.git.InTheWay(ctx, planned); err != nil || len(inTheWay) > 0 {
		if err == nil {
			err = messages.Errorf(opMerge, messages.WrongState, "into %s: files in %s would be overwritten that are in no commit: %s", m.Into, planned.Tree, strings.Join(inTheWay, ", ")).
				WithHint("Move them out of the way, or remove them from the branch, then retry the step.")
		}
		return nil, err
	}
	return c.advance(ctx, lock, m, planned)
}

// advance moves the target to the merge. The intent is durable before anything changes, and until everything has changed.
func (c *changes) advance(ctx context.Context, lock *git.Lock, m messages.MergeBranches, planned git.Merge) (messages.Reply, error) {
	if err := c.registry.putIntent(mergeIntent{ID: m.ID, Began: c.deps.Now(), Merge: planned}); err != nil {
		return nil, err
	}
	if err := c.at(stepMerging); err != nil {
		return nil, err
	}
	if err := c.git.Advance(ctx, lock, planned); err != nil {
		var refused *git.ExitError
		if errors.As(err, &refused) { // nothing has changed
			err = errors.Join(messages.Errorf(opMerge, messages.WrongState, "into %s: %w", m.Into, err).
				WithHint("Move the files that git names out of the way, then retry the step."), c.registry.dropIntent(m.ID))
		}
		return nil, err
	}
	if err := c.at(stepMerged); err != nil {
		return nil, err
	}
	c.log.Info().Str("into", m.Into).Str("commit", planned.New).Strs("branches", m.Branches).Msg("branches merged")
	return messages.BranchesMerged{Commit: planned.New, Made: true}, c.registry.dropIntent(m.ID)
}

// target returns the working tree in which the target is checked out, empty for none. It refuses a tree with changes, a tree with
// an unfinished operation of a person, and a tree that a session's lease excludes others from.
func (c *changes) target(ctx context.Context, m messages.MergeBranches, trees []git.Tree) (string, error) {
	tree := ""
	for _, t := range trees {
		if t.Branch != m.Into || t.Bare || t.Prunable {
			continue
		}
		// Git's records of a working tree are files that an agent may write, so the tree has to name the repository as well.
		if found, err := c.git.Repository(ctx, t.Path); err != nil || found.Common != c.common {
			return "", messages.Errorf(opMerge, messages.WrongState, "git says that %s is checked out at %s, which is no working tree of the repository", m.Into, t.Path).
				WithHint("Remove what git knows of it: git worktree prune")
		}
		tree = t.Path
		break
	}
	switch {
	case m.Within != "" && tree != "" && !paths.Inside(tree, m.Within):
		return "", messages.Errorf(opMerge, messages.Denied, "%s is checked out at %s, outside of %s", m.Into, tree, m.Within).WithHint("Let a person start the plan, or merge into another branch.")
	case tree == "":
		return "", nil
	}
	if why := c.deps.Protected(tree); why != "" {
		return "", messages.Errorf(opMerge, messages.Denied, "nothing is merged in %s: %s", tree, why).WithHint("Merge into another branch.")
	}
	for _, rec := range c.registry.all(c.common) {
		if rec.Path == tree && rec.excluded() != nil {
			return "", inUse(opMerge, rec, *rec.excluded())
		}
	}
	if what, err := c.git.Programs(ctx, tree); err != nil || what != "" {
		if err == nil {
			err = messages.Errorf(opMerge, messages.WrongState, "the settings of %s would run programs during the checkout: %s", tree, what).
				WithHint("Look at it in " + filepath.Join(c.common, "config") + "; if it is yours, move it to ~/.gitconfig.")
		}
		return "", err
	}
	if err := c.finished(ctx, tree); err != nil {
		return "", err
	}
	s, err := c.git.Status(ctx, tree)
	if err == nil && s.Changed > 0 {
		err = messages.Errorf(opMerge, messages.WrongState, "%s has %s", tree, messages.Count(s.Changed, "changed file")).WithHint("Commit or stash them, then retry the step.")
	}
	return tree, err
}

// finished refuses a working tree with an unfinished rebase or similar operation.
func (c *changes) finished(ctx context.Context, tree string) error {
	what, err := c.git.Unfinished(ctx, tree)
	if err == nil && what != "" {
		err = messages.Errorf(opMerge, messages.WrongState, "%s has an operation that is not finished (%s)", tree, what).WithHint("Finish or abort it there, then retry the step.")
	}
	return err
}

// committed refuses a working tree whose branch is to be merged and that has uncommitted work, which the merge would leave
// out.
func (c *changes) committed(ctx context.Context, t git.Tree, branches []string) error {
	if t.Bare || t.Prunable || !slices.Contains(branches, t.Branch) {
		return nil
	}
	if err := c.finished(ctx, t.Path); err != nil {
		return err
	}
	s, err := c.git.Status(ctx, t.Path)
	if err != nil || s.Changed+s.Foreign == 0 {
		return err
	}
	return messages.Errorf(opMerge, messages.WrongState, "branch %s has work in %s that is not committed: %s and %s", t.Branch, t.Path,
		messages.Count(s.Changed, "changed file"), messages.Count(s.Foreign, "untracked file")).
		WithHint("Commit or remove it there, then retry the step.")
}
