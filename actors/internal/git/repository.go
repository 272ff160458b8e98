package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
)

// Repository has the directories of a repository.
type Repository struct {
	Common string // the git directory that all working trees share; absolute, without symbolic links
	Main   string // the main working tree, or Common in a bare repository
}

// Repository finds the repository of a directory.
func (g *Git) Repository(ctx context.Context, dir string) (Repository, error) {
	const op = "find the repository"
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Repository{}, messages.Errorf(op, messages.Invalid, "%s is not a directory", dir).WithHint("Name a directory of a git repository.")
	}
	out, err := g.run(ctx, command{dir: dir, args: []string{"rev-parse", "--path-format=absolute", "--git-common-dir"}, reads: true})
	if err != nil {
		var failed *ExitError
		if errors.As(err, &failed) {
			return Repository{}, messages.Errorf(op, messages.Invalid, "%s: %w", dir, err).WithHint("Name a directory of a git repository.")
		}
		return Repository{}, err
	}
	common, err := filepath.EvalSymlinks(strings.TrimSuffix(out, "\n"))
	if err != nil {
		return Repository{}, err
	}
	trees, err := g.Trees(ctx, common)
	if err != nil || len(trees) == 0 {
		return Repository{}, errors.Join(errors.New("git lists no working tree"), err)
	}
	r := Repository{Common: common, Main: trees[0].Path}
	if trees[0].Bare {
		r.Main = common
	}
	return r, nil
}

// at returns the arguments that name a repository by its common directory.
func at(common string, args ...string) []string {
	return append([]string{"--git-dir=" + common}, args...)
}

// Trees lists the working trees of a repository, the main one first. As for git, a branch that is being rebased or bisected is
// checked out.
func (g *Git) Trees(ctx context.Context, common string) ([]Tree, error) {
	out, err := g.run(ctx, command{dir: common, args: at(common, "worktree", "list", "--porcelain", "-z"), reads: true})
	if err != nil {
		return nil, err
	}
	trees, err := parseTrees(out)
	for n, t := range trees {
		admin, found := common, true
		if n > 0 {
			admin, found = adminOf(common, t.Path)
		}
		if t.Branch == "" && !t.Bare && found {
			trees[n].Branch = detached(admin)
		}
	}
	return trees, err
}

// Commit returns the commit that a revision names in a working tree; false if it names none.
func (g *Git) Commit(ctx context.Context, dir, revision string) (string, bool, error) {
	return g.revision(ctx, dir, nil, revision)
}

func (g *Git) revision(ctx context.Context, dir string, args []string, revision string) (string, bool, error) {
	out, err := g.run(ctx, command{dir: dir, args: append(args, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}"), reads: true})
	var failed *ExitError
	if errors.As(err, &failed) {
		return "", false, nil
	}
	return strings.TrimSpace(out), err == nil, err
}

// Branch returns the commit of a branch; false if there is no such branch.
func (g *Git) Branch(ctx context.Context, common, branch string) (string, bool, error) {
	return g.revision(ctx, common, at(common), "refs/heads/"+branch)
}

// block is the space that a small file takes on most filesystems, in bytes.
const block = 4096

// TreeBytes returns the space that the files of a commit take in a working tree, in bytes of whole blocks.
func (g *Git) TreeBytes(ctx context.Context, common, commit string) (int64, error) {
	var total int64
	err := g.files(ctx, common, commit, func(f file) {
		total += (f.size/block + 1) * block
	})
	return total, err
}

// files calls each with the files of a commit.
func (g *Git) files(ctx context.Context, common, commit string, each func(file)) error {
	_, err := g.run(ctx, command{
		dir: common, args: at(common, "ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", commit), reads: true,
		each: func(record string) error {
			f, err := parseFile(record)
			if err == nil {
				each(f)
			}
			return err
		},
	})
	return err
}

// maxIncluded bounds the files that patterns may match.
const maxIncluded = 10_000

// Included returns the ignored files of a working tree that match the patterns in a file, in the notation of .gitignore. Paths
// are relative to the tree, with slashes.
func (g *Git) Included(ctx context.Context, tree, patterns string) ([]string, error) {
	named := map[string]bool{}
	list := func(exclude string, each func(path string) error) error {
		_, err := g.run(ctx, command{dir: tree, args: []string{"ls-files", "-z", "--others", "--ignored", exclude}, reads: true, each: each})
		return err
	}
	err := list("--exclude-from="+patterns, func(path string) error {
		if named[path] = true; len(named) > maxIncluded {
			return fmt.Errorf("%s names more than %d files", patterns, maxIncluded)
		}
		return nil
	})
	if err != nil || len(named) == 0 {
		return nil, err
	}
	var found []string
	err = list("--exclude-standard", func(path string) error {
		if named[path] {
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// maxUnpushed bounds the commits that are counted.
const maxUnpushed = 10000

// Status inspects a working tree. Filters of the repository's own settings do not run: files that they change count as
// changed.
func (g *Git) Status(ctx context.Context, path string) (Status, error) {
	s, err := g.compare(ctx, path)
	if err != nil {
		return s, err
	}
	if err := g.follow(ctx, path, &s); err != nil || s.Commit == "" {
		return s, err
	}
	s.Unpushed, err = g.unpushed(ctx, path, nil, s.Commit, s.Branch)
	return s, err
}

// compare compares the files of a working tree with its commit.
func (g *Git) compare(ctx context.Context, path string) (s Status, err error) {
	err = g.withStandIn(ctx, path, func(a *apart, _ []string) error {
		// Changes inside of submodules are left out, because git would run with the settings of the submodule.
		out, err := g.run(ctx, a.command(command{
			reads: true, args: []string{"status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"},
		}))
		if err != nil {
			return err
		}
		s, err = parseStatus(out)
		s.Commit = a.head
		return err
	})
	return s, err
}

// follow finds out which branch is checked out, and how it differs from its upstream.
func (g *Git) follow(ctx context.Context, path string, s *Status) error {
	var failed *ExitError
	out, err := g.run(ctx, command{dir: path, args: []string{"symbolic-ref", "--quiet", "HEAD"}, reads: true})
	if errors.As(err, &failed) && failed.Code == 1 {
		return nil // no branch is checked out
	}
	if err != nil {
		return err
	}
	ref := strings.TrimSpace(out)
	s.Branch = strings.TrimPrefix(ref, "refs/heads/")
	if out, err = g.run(ctx, command{dir: path, args: []string{"for-each-ref", "--format=%(upstream:short)", ref}, reads: true}); err != nil {
		return err
	}
	if s.Upstream = strings.TrimSpace(out); s.Upstream == "" || s.Commit == "" {
		return nil
	}
	out, err = g.run(ctx, command{dir: path, args: []string{"rev-list", "--left-right", "--count", s.Commit + "...@{upstream}"}, reads: true})
	if errors.As(err, &failed) {
		return nil // the upstream does not exist
	}
	if err != nil {
		return err
	}
	return s.distance(out)
}
