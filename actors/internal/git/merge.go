package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"betcode/messages"
)

// Merge is a planned merge of branches into another one, without a conflict, and before anything has changed.
type Merge struct {
	Common string
	Into   string // the branch
	Tree   string // the working tree in which it is checked out; empty = none
	Old    string // commit of the branch
	New    string // the merge; Old if there was nothing to merge
}

// ConflictError is a merge that git cannot make by itself.
type ConflictError struct {
	Branch string
	Paths  []string // sorted, at most maxConflicts
}

// maxConflicts bounds the paths of an error.
const maxConflicts = 100

// Error implements error.
func (c *ConflictError) Error() string {
	return fmt.Sprintf("branch %s has conflicts in %s", c.Branch, strings.Join(c.Paths, ", "))
}

// MergeMark begins the line of a merge's message with its id, by which the merge is found again.
const MergeMark = "Betcode-Merge: "

// PlanMerge computes the merge of branches into one, in order, and writes its commits. Neither a branch nor a working tree
// changes. Each merge is a commit of its own with a line for id. Branches that the target contains are left out. The error is
// [*ConflictError] for the first branch with conflicts.
//
// Git reads none of the repository's own settings, so its merge drivers do not run.
func (g *Git) PlanMerge(ctx context.Context, lock *Lock, m Merge, branches []string, id string) (Merge, error) {
	a, err := g.mergeStandIn(ctx, m)
	if err != nil {
		return m, err
	}
	m.New, err = g.mergeAll(ctx, lock, a, m, branches, id)
	return m, errors.Join(err, a.remove())
}

// mergeStandIn is a stand-in for the working tree of the target, or for an empty one.
func (g *Git) mergeStandIn(ctx context.Context, m Merge) (*apart, error) {
	if m.Tree != "" {
		o, err := g.ownSettings(ctx, m.Tree)
		if err != nil {
			return nil, err
		}
		return g.standIn(ctx, m.Tree, o)
	}
	o, err := g.ownSettings(ctx, m.Common)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "betcode-git-")
	if err != nil {
		return nil, err
	}
	a := &apart{dir: dir, tree: dir, admin: dir, common: m.Common, head: m.Old}
	if err := a.fill(o); err != nil {
		return nil, errors.Join(err, a.remove())
	}
	return a, nil
}

func (g *Git) mergeAll(ctx context.Context, lock *Lock, a *apart, m Merge, branches []string, id string) (string, error) {
	at, author := m.Old, g.author(ctx, m.Common)
	for _, branch := range branches {
		commit, exists, err := g.Branch(ctx, m.Common, branch)
		if err == nil && !exists {
			err = messages.Errorf("merge branches", messages.NotFound, "there is no branch %s", branch).WithHint("'betcode repo branches list' shows them.")
		}
		if err != nil {
			return "", err
		}
		if contained, err := g.Contains(ctx, m.Common, at, commit); err != nil {
			return "", err
		} else if contained {
			continue
		}
		tree, err := g.mergeTrees(ctx, lock, a, branch, at, commit)
		if err != nil {
			return "", err
		}
		message := "Merge branch '" + branch + "' into " + m.Into + "\n\n" + MergeMark + id
		out, err := g.run(ctx, a.command(command{lock: lock, environ: author, args: []string{"commit-tree", tree, "-p", at, "-p", commit, "-m", message}}))
		if err != nil {
			return "", err
		}
		at = strings.TrimSpace(out)
	}
	return at, nil
}

// mergeTrees merges two commits and returns the tree.
func (g *Git) mergeTrees(ctx context.Context, lock *Lock, a *apart, branch, ours, theirs string) (string, error) {
	out, err := g.run(ctx, a.command(command{lock: lock, args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs}}))
	var failed *ExitError
	if errors.As(err, &failed) && failed.Code == 129 { // usage
		return "", messages.Errorf("merge branches", messages.Unavailable, "this git cannot merge without a working tree").WithHint("Install git 2.38 or newer.")
	}
	words := strings.Split(strings.TrimRight(out, "\x00\n"), "\x00")
	if failed != nil && failed.Code == 1 && len(words) > 1 {
		paths := words[1:]
		slices.Sort(paths)
		paths = slices.Compact(paths)
		return "", &ConflictError{Branch: branch, Paths: paths[:min(len(paths), maxConflicts)]}
	}
	return words[0], err
}

// author returns the variables that name the author of a merge: the user of the repository, or the daemon.
func (g *Git) author(ctx context.Context, common string) []string {
	value := func(key, other string) string {
		out, err := g.run(ctx, command{dir: common, reads: true, args: at(common, "config", "--get", key)})
		if value := strings.TrimSpace(out); err == nil && value != "" {
			return value
		}
		return other
	}
	name, mail := value("user.name", "betcode"), value("user.email", "betcode@localhost")
	return []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + mail, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + mail}
}

// Contains reports whether a commit equals another, or has it among its ancestors.
func (g *Git) Contains(ctx context.Context, common, commit, ancestor string) (bool, error) {
	_, err := g.run(ctx, command{dir: common, reads: true, args: at(common, "merge-base", "--is-ancestor", ancestor, commit)})
	var failed *ExitError
	if errors.As(err, &failed) && failed.Code == 1 {
		return false, nil
	}
	return err == nil, err
}

// Merged returns the merge with an id in the history of a commit; empty if it was not made.
func (g *Git) Merged(ctx context.Context, common, commit, id string) (string, error) {
	out, err := g.run(ctx, command{
		dir: common, reads: true, args: at(common, "rev-list", "--first-parent", "--max-count=1", "--fixed-strings", "--grep="+MergeMark+id, commit, "--"),
	})
	return strings.TrimSpace(out), err
}

// Advance moves the branch to the merge: first the files of its working tree, then the branch. A working tree whose files would
// be lost is an error, and nothing changes.
func (g *Git) Advance(ctx context.Context, lock *Lock, m Merge) error {
	if m.Tree != "" {
		if err := g.onto(ctx, lock, m.Tree, m.Old, m.New); err != nil {
			return err
		}
	}
	err := g.move(ctx, lock, m)
	if err != nil && m.Tree != "" { // another process has moved the branch
		err = errors.Join(err, g.onto(context.WithoutCancel(ctx), lock, m.Tree, m.New, m.Old))
	}
	return err
}

func (g *Git) move(ctx context.Context, lock *Lock, m Merge) error {
	_, err := g.run(ctx, command{
		dir: m.Common, lock: lock, args: at(m.Common, "update-ref", "-m", "merge: by betcode", "refs/heads/"+m.Into, m.New, m.Old),
	})
	return err
}

// onto moves the files of a working tree from one commit to another. git refuses before it changes any if it would overwrite
// others.
func (g *Git) onto(ctx context.Context, lock *Lock, tree, from, to string) error {
	return g.withStandIn(ctx, tree, func(a *apart, environ []string) error {
		var failed *ExitError
		_, err := g.run(ctx, a.command(command{lock: lock, args: []string{"update-index", "-q", "--refresh"}})) // files that were touched are no changes
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		_, err = g.run(ctx, a.command(command{lock: lock, environ: environ, args: []string{"read-tree", "-m", "-u", from, to}}))
		return err
	})
}
