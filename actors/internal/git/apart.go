package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// apart is a git directory of the daemon's own. It replaces that of a working tree while git compares or writes files.
// Its settings are written once and belong to the daemon. An agent may change those of the repository at any time, even
// between a check of them and the command that obeys them, so such commands never read them.
type apart struct {
	dir    string // the stand-in
	tree   string // the working tree
	admin  string // the git directory of the working tree
	common string
	head   string // commit that is checked out; empty if there is none
}

// kept are the settings of a repository that are copied into the stand-in: how files are compared and written, and where git
// lfs finds files. None of them names a program.
var kept = []string{
	"core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.autocrlf", "core.eol", "core.safecrlf", "core.checkstat", "core.trustctime",
	"core.protectntfs", "core.protecthfs", "core.longpaths", "core.sparsecheckout", "core.sparsecheckoutcone", "extensions.objectformat", "lfs.url", "lfs.fetchinclude", "lfs.fetchexclude",
}

// keeps reports whether a setting is copied into the stand-in.
func keeps(key, value string) bool {
	lower := strings.ToLower(key)
	switch {
	case strings.HasPrefix(lower, "filter.lfs."):
		return lower == "filter.lfs.required" || slices.Contains(lfs, value)
	case strings.HasPrefix(lower, "remote.") && strings.HasSuffix(lower, ".url"):
		return true
	}
	return slices.Contains(kept, lower)
}

// standIn makes a git directory for a working tree. The caller removes it.
func (g *Git) standIn(ctx context.Context, tree string, o own) (*apart, error) {
	out, err := g.run(ctx, command{dir: tree, args: []string{"rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"}, reads: true})
	if err != nil {
		return nil, err
	}
	dirs := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(dirs) != 2 {
		return nil, fmt.Errorf("git rev-parse: the path of the repository of %q has a line break", tree)
	}
	a := &apart{tree: tree, admin: dirs[0], common: dirs[1]}
	if a.head, _, err = g.Commit(ctx, tree, "HEAD"); err != nil {
		return nil, err
	}
	if a.dir, err = os.MkdirTemp("", "betcode-git-"); err != nil {
		return nil, err
	}
	if err := a.fill(o); err != nil {
		return nil, errors.Join(err, a.remove())
	}
	return a, nil
}

func (a *apart) remove() error { return os.RemoveAll(a.dir) }

// withStandIn calls f with a stand-in for a working tree, and the variables that a checkout in it needs.
func (g *Git) withStandIn(ctx context.Context, tree string, f func(a *apart, environ []string) error) error {
	o, err := g.ownSettings(ctx, tree)
	if err != nil {
		return err
	}
	a, err := g.standIn(ctx, tree, o)
	if err != nil {
		return err
	}
	return errors.Join(f(a, o.checkout()), a.remove())
}

// fill writes the files that git expects in a git directory.
func (a *apart) fill(o own) error {
	head := a.head
	if head == "" {
		head = "ref: refs/heads/none"
	}
	files := map[string]string{"HEAD": head + "\n", "config": o.config()}
	for _, dir := range []string{"objects", "refs", "info"} {
		if err := os.Mkdir(filepath.Join(a.dir, dir), 0o700); err != nil {
			return err
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	links := map[string]string{
		"info/exclude": filepath.Join(a.common, "info", "exclude"), "info/attributes": filepath.Join(a.common, "info", "attributes"),
		"info/sparse-checkout": filepath.Join(a.admin, "info", "sparse-checkout"), "lfs": filepath.Join(a.common, "lfs"),
	}
	shared, _ := filepath.Glob(filepath.Join(a.admin, "sharedindex.*")) // the pattern is well formed
	for _, file := range shared {
		links[filepath.Base(file)] = file
	}
	for name, target := range links {
		if there(target) {
			_ = os.Symlink(target, filepath.Join(a.dir, filepath.FromSlash(name))) // without it more files count as changed, where there are no links
		}
	}
	return nil
}

// command directs a command to the working tree without the settings of its repository.
func (a *apart) command(c command) command {
	c.dir = a.tree
	c.args = append([]string{"--git-dir=" + a.dir, "--work-tree=" + a.tree}, c.args...)
	c.environ = append([]string{"GIT_INDEX_FILE=" + filepath.Join(a.admin, "index"), "GIT_OBJECT_DIRECTORY=" + filepath.Join(a.common, "objects")}, c.environ...)
	return c
}

// checkout returns the variables of a command that writes files.
func (o own) checkout() []string {
	if o.lfs {
		return []string{"GIT_LFS_SKIP_SMUDGE=1"}
	}
	return nil
}

// config formats the copied settings as a file.
func (o own) config() string {
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 1\n\tbare = false\n")
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	for _, s := range o.kept {
		section, rest, _ := strings.Cut(s.key, ".")
		name := rest
		if n := strings.LastIndexByte(rest, '.'); n >= 0 {
			section, name = fmt.Sprintf("%s \"%s\"", section, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rest[:n])), rest[n+1:]
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, name, quote.Replace(s.value))
	}
	return b.String()
}
