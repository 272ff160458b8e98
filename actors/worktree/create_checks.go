package worktree

import (
	"context"
	"os"
	"strconv"
	"strings"

	"betcode/messages"
)

// free refuses a name, a path or a branch that is taken.
func (c *changes) free(ctx context.Context, p plan, branch string) error {
	for _, rec := range c.registry.all(c.common) {
		if rec.Name == p.name {
			return taken("worktree "+p.name+" is", rec.Path).WithHint("Give another name, or remove it: betcode worktree remove " + rec.reference())
		}
	}
	if _, err := os.Lstat(p.path); err == nil {
		return messages.Errorf(opCreate, messages.AlreadyExists, "path %s exists", p.path).With("path", p.path).WithHint("Choose another path, or another name.")
	}
	trees, err := c.git.Trees(ctx, c.common)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if t.Branch == branch && !t.Bare {
			return taken("branch "+branch+" is checked out", t.Path).WithHint("Use that worktree, or another branch.")
		}
	}
	return nil
}

// taken returns the error of a name, path or branch that is in use at a path.
func taken(what, path string) *messages.Error {
	return messages.Errorf(opCreate, messages.AlreadyExists, "%s at %s", what, path).With("path", path)
}

// start returns the commit at which the branch of the worktree begins.
func (c *changes) start(ctx context.Context, m messages.CreateWorktree) (string, error) {
	commit, exists, err := c.git.Branch(ctx, m.Common, m.Branch)
	switch {
	case err != nil:
		return "", err
	case exists && m.CreateBranch:
		return "", messages.Errorf(opCreate, messages.AlreadyExists, "branch %s exists in %s", m.Branch, m.Main).WithHint("Leave create_branch out to use it, or choose another branch.")
	case exists:
		return commit, nil
	case !m.CreateBranch:
		return "", messages.Errorf(opCreate, messages.NotFound, "%s has no branch %s", m.Main, m.Branch).WithHint("Create it: betcode worktree create --create-branch " + m.Branch)
	}
	if err := c.clash(ctx, opCreate, m.Branch); err != nil {
		return "", err
	}
	base := m.Base
	if base == "" {
		base = "HEAD"
	}
	commit, exists, err = c.git.Commit(ctx, m.Directory, base)
	if err == nil && !exists {
		err = messages.Errorf(opCreate, messages.NotFound, "base %s is no commit in %s", base, m.Directory).WithHint("Name a commit, a branch or a tag.")
	}
	return commit, err
}

// clash refuses a new branch that git cannot keep beside another: one name is a directory of the other.
func (c *changes) clash(ctx context.Context, op, branch string) error {
	all, err := c.git.Branches(ctx, c.common, "", false)
	if err != nil {
		return err
	}
	for _, other := range all {
		if strings.HasPrefix(branch, other.Name+"/") || strings.HasPrefix(other.Name, branch+"/") {
			return messages.Errorf(op, messages.WrongState, "branch %s cannot be created: git keeps no branch of that name beside branch %s", branch, other.Name).
				With("branch", other.Name).WithHint("Choose a name that does not begin with the other one and a slash, nor the other way round.")
		}
	}
	return nil
}

// overhead is space for git's own files, in bytes.
const overhead = 1 << 20

// room refuses a checkout that does not fit on the disk.
func (c *changes) room(ctx context.Context, parent, commit string) error {
	required, err := c.git.TreeBytes(ctx, c.common, commit)
	if err != nil {
		return err
	}
	required += overhead
	available, err := c.deps.Spare(parent)
	if err != nil || required <= available {
		return err
	}
	return messages.Errorf(opCreate, messages.Exhausted, "not enough room on the disk of %s: %d bytes are required, %d available", parent, required, available).
		WithCode(messages.DiskFull).With("required_bytes", strconv.FormatInt(required, 10)).With("available_bytes", strconv.FormatInt(available, 10)).
		WithHint("Make room, or give a path on another disk.")
}
