package git

import (
	"context"
	"path/filepath"
	"strings"

	"betcode/messages/regular"
)

// unfinished are git's files for an operation that a person has begun in a working tree.
var unfinished = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer", "rebase-merge", "rebase-apply", "BISECT_START"}

// detaching are the files of operations that detach HEAD. They name the branch that git checks out again at the end.
var detaching = []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"}

// mostName bounds the file with the name of a branch, in bytes. An agent may write it.
const mostName = 1 << 10

// Unfinished names the operation that a person has begun in a working tree; empty if there is none.
func (g *Git) Unfinished(ctx context.Context, tree string) (string, error) {
	out, err := g.run(ctx, command{dir: tree, reads: true, args: []string{"rev-parse", "--path-format=absolute", "--git-dir"}})
	if err != nil {
		return "", err
	}
	for _, name := range unfinished {
		if there(filepath.Join(strings.TrimSuffix(out, "\n"), name)) {
			return name, nil
		}
	}
	return "", nil
}

// detached returns the branch that is being rebased or bisected in the working tree of an administrative directory; empty if
// none is. The operation fails at its end if the branch has moved meanwhile.
func detached(admin string) string {
	for _, name := range detaching {
		content, err := regular.Read(filepath.Join(admin, filepath.FromSlash(name)), mostName)
		if err == nil {
			return strings.TrimPrefix(strings.TrimSpace(string(content)), "refs/heads/")
		}
	}
	return ""
}
