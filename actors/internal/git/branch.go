package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Ref is a branch of a repository, or one that follows a branch of a remote.
type Ref struct {
	Name    string // without refs/heads/ and refs/remotes/
	Commit  string
	Subject string // first line of the message of the commit
	Head    bool   // checked out in the main working tree
	Remote  bool
}

// maxBranches bounds the number of branches in a list.
const maxBranches = 10_000

// Branches lists the branches of a repository, sorted by name, those that follow remotes last. name restricts it to one
// branch; empty = all.
func (g *Git) Branches(ctx context.Context, common, name string, remote bool) ([]Ref, error) {
	patterns := []string{"refs/heads/"}
	if name != "" {
		patterns = []string{"refs/heads/" + name}
	}
	if remote {
		patterns = append(patterns, "refs/remotes/")
	}
	args := append(at(common, "for-each-ref", "--count="+strconv.Itoa(maxBranches), "--sort=refname",
		"--format=%(refname)%00%(objectname)%00%(HEAD)%00%(symref)%00%(contents:subject)%00%00"), patterns...)
	var found []Ref
	var fields []string
	_, err := g.run(ctx, command{dir: common, args: args, reads: true, each: func(record string) error {
		if fields = append(fields, record); len(fields) < 6 {
			return nil
		}
		ref := parseRef(fields)
		fields = fields[:0]
		if ref.Name != "" && (name == "" || ref.Name == name) {
			found = append(found, ref)
		}
		return nil
	}})
	return found, err
}

// parseRef parses the fields of a branch. A branch that is only another name, such as origin/HEAD, gets no name.
func parseRef(fields []string) Ref {
	full := strings.TrimPrefix(fields[0], "\n") // that ended the line before
	name, local := strings.CutPrefix(full, "refs/heads/")
	if !local {
		name = strings.TrimPrefix(full, "refs/remotes/")
	}
	if fields[3] != "" {
		name = ""
	}
	return Ref{Name: name, Commit: fields[1], Head: fields[2] == "*", Subject: fields[4], Remote: !local}
}

// Unpushed counts the commits of a branch that neither a remote-tracking branch nor another branch has; at most 10000.
func (g *Git) Unpushed(ctx context.Context, common, commit, branch string) (uint32, error) {
	return g.unpushed(ctx, common, at(common), commit, branch)
}

func (g *Git) unpushed(ctx context.Context, dir string, args []string, commit, branch string) (uint32, error) {
	args = append(args, "rev-list", "--count", "--max-count="+strconv.Itoa(maxUnpushed), commit, "--not", "--remotes")
	if branch != "" {
		args = append(args, "--exclude="+branch)
	}
	out, err := g.run(ctx, command{dir: dir, args: append(args, "--branches"), reads: true})
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(out), 10, 32)
	return uint32(n), err
}

// DeleteBranch deletes a branch that is still at a commit.
func (g *Git) DeleteBranch(ctx context.Context, lock *Lock, common, branch, commit string) error {
	err := g.deleteBranch(ctx, lock, common, branch, commit)
	var refused *ExitError
	if errors.As(err, &refused) {
		return fmt.Errorf("branch %s has changed meanwhile: %w", branch, err)
	}
	return err
}
