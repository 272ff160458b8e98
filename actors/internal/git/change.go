package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
)

// created is git's note about a branch that the daemon makes.
const created = "branch: created by betcode"

// CreateBranch creates a branch at a commit. It fails if the branch exists.
func (g *Git) CreateBranch(ctx context.Context, lock *Lock, common, branch, commit string) error {
	_, err := g.run(ctx, command{
		dir: common, lock: lock,
		args: at(common, "update-ref", "-m", created, "refs/heads/"+branch, commit, strings.Repeat("0", len(commit))),
	})
	return err
}

// deleteBranch deletes a branch that is still at a commit.
func (g *Git) deleteBranch(ctx context.Context, lock *Lock, common, branch, commit string) error {
	_, err := g.run(ctx, command{dir: common, lock: lock, args: at(common, "update-ref", "-d", "refs/heads/"+branch, commit)})
	return err
}

// Add checks out a branch in a new working tree. The directory is empty, or does not exist. Filters of the repository's own
// settings do not run.
func (g *Git) Add(ctx context.Context, lock *Lock, common, path, branch string) error {
	if info, err := os.Lstat(filepath.Join(common, "worktrees")); err == nil && !info.IsDir() { // git would write behind a link
		return messages.Errorf("add worktree", messages.WrongState, "%s is not a directory", filepath.Join(common, "worktrees")).WithHint("Remove it; git creates the directory again.")
	}
	o, err := g.ownSettings(ctx, common)
	if err != nil {
		return err
	}
	_, err = g.run(ctx, command{
		dir: common, lock: lock,
		args: at(common, "worktree", "add", "--quiet", "--no-checkout", "--", path, branch),
	})
	if err != nil {
		return err
	}
	a, err := g.standIn(ctx, path, o)
	if err != nil {
		return err
	}
	_, err = g.run(ctx, a.command(command{lock: lock, environ: o.checkout(), args: []string{"read-tree", "--reset", "-u", a.head}}))
	return errors.Join(err, a.remove())
}

// Remove removes a working tree with everything in it. The caller has checked that nothing is lost. git refuses if a person has locked the tree.
func (g *Git) Remove(ctx context.Context, lock *Lock, common, path string) error {
	_, err := g.run(ctx, command{dir: common, lock: lock, args: at(common, "worktree", "remove", "--force", "--", path)})
	return err
}

// Submodules reports whether a working tree has submodules of its own, whose commits may be nowhere else.
func Submodules(common, path string) bool {
	admin, found := adminOf(common, path)
	if !found {
		return false
	}
	entries, err := os.ReadDir(filepath.Join(admin, "modules"))
	return err == nil && len(entries) > 0
}

// Forget removes git's records of a working tree whose directory does not exist, or is no longer a working tree.
func Forget(common, path string) error {
	admin, found := adminOf(common, path)
	if !found || there(filepath.Join(path, ".git")) {
		return nil
	}
	return removeInside(common, admin)
}
