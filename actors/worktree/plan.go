package worktree

import (
	"path/filepath"
	"strings"

	"betcode/messages"
	"betcode/messages/gitname"
)

// plan has the name and path of a worktree, as far as the request has them.
type plan struct{ name, path string }

const opCreate = "create worktree"

// planOf checks the names and paths of a request.
func planOf(m messages.CreateWorktree) (plan, error) {
	p := plan{name: m.Name, path: m.Path}
	if err := gitname.CheckBranch(m.Branch); err != nil {
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
	if why := gitname.CheckWorktree(p.name); why != nil {
		return p, messages.Errorf(opCreate, messages.Invalid, "name %q: %s", clip(p.name), why).WithHint("Give a name of at most 100 bytes without slashes, such as fix-login.")
	}
	if m.Path == "" {
		p.path = filepath.Join(filepath.Dir(m.Main), strings.TrimSuffix(filepath.Base(m.Main), ".git")+"-"+p.name)
	}
	if !filepath.IsAbs(p.path) || strings.Contains(p.path, "\x00") {
		return p, messages.Errorf(opCreate, messages.Invalid, "path %q is not absolute", clip(p.path)).WithHint("Give an absolute path, or none.")
	}
	p.path = filepath.Clean(p.path)
	if why := gitname.CheckWorktree(filepath.Base(p.path)); m.Path != "" && why != nil {
		return p, messages.Errorf(opCreate, messages.Invalid, "path %q: the last part: %s", clip(p.path), why).WithHint("Choose another path, or none.")
	}
	return p, nil
}
