package worktree

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"betcode/actors/internal/git"
	"betcode/messages"
)

// maxWorktreeName bounds the name of a worktree, in bytes.
const maxWorktreeName = 100

// plan is what a worktree will be, as far as the request tells.
type plan struct{ name, path string }

const opCreate = "create worktree"

// planOf checks the names and paths of a request.
func planOf(m messages.CreateWorktree) (plan, error) {
	p := plan{name: m.Name, path: m.Path}
	if err := git.CheckBranchName(m.Branch); err != nil {
		return p, messages.Errorf(opCreate, messages.Invalid, "branch %q: %w", clip(m.Branch), err).WithHint("Choose a name that git accepts for a branch.")
	}
	if m.Base != "" && !m.CreateBranch {
		return p, messages.Errorf(opCreate, messages.Invalid, "a base is for new branches").WithHint("Say that the branch is new (create_branch), or leave the base out.")
	}
	if strings.HasPrefix(m.Base, "-") || len(m.Base) > 1000 || strings.ContainsAny(m.Base, "\x00\n") {
		return p, messages.Errorf(opCreate, messages.Invalid, "base %q is no revision", clip(m.Base)).WithHint("Name a commit, a branch or a tag.")
	}
	if p.name == "" {
		p.name = strings.ReplaceAll(m.Branch, "/", "-")
	}
	if why := badName(p.name); why != "" {
		return p, messages.Errorf(opCreate, messages.Invalid, "name %q: %s", clip(p.name), why).WithHint("Give a name of at most 100 bytes without slashes, such as fix-login.")
	}
	if m.Path == "" {
		p.path = filepath.Join(filepath.Dir(m.Main), strings.TrimSuffix(filepath.Base(m.Main), ".git")+"-"+p.name)
	}
	if !filepath.IsAbs(p.path) || strings.Contains(p.path, "\x00") {
		return p, messages.Errorf(opCreate, messages.Invalid, "path %q is not absolute", clip(p.path)).WithHint("Give an absolute path, or none.")
	}
	p.path = filepath.Clean(p.path)
	if why := badName(filepath.Base(p.path)); m.Path != "" && why != "" {
		return p, messages.Errorf(opCreate, messages.Invalid, "path %q: the last part: %s", clip(p.path), why).WithHint("Choose another path, or none.")
	}
	return p, nil
}

// badName says why a name cannot be that of a worktree; empty if it can.
func badName(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > maxWorktreeName:
		return "it is longer than 100 bytes"
	case strings.ContainsAny(name, `/\`):
		return "it has a path separator"
	case name[0] == '.':
		return "it begins with a dot"
	case name[0] == '-':
		return "it begins with a dash"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }):
		return "it has a control character"
	}
	return ""
}
