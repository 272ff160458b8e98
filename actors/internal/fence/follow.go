package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
)

// maxLinks is how many symbolic links a path may follow, as in the kernel.
const maxLinks = 40

// followed is a path with its target.
type followed struct {
	path   string   // the given path
	target string   // the path without symbolic links
	links  []string // the symbolic links that were followed, each by a path without another one
}

// follow resolves an absolute path, and collects the links.
func follow(path string) (followed, error) {
	f := followed{path: path, target: "/"}
	rest := strings.Split(filepath.Clean(path), "/")
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			f.target = filepath.Dir(f.target)
			continue
		}
		next := filepath.Join(f.target, name)
		info, err := os.Lstat(next)
		if err != nil {
			return f, err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			f.target = next
			continue
		}
		if f.links = append(f.links, next); len(f.links) > maxLinks {
			return f, fmt.Errorf("%s leads over too many links", path)
		}
		to, err := os.Readlink(next)
		if err != nil {
			return f, err
		}
		if filepath.IsAbs(to) {
			f.target = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return f, nil
}

// planted refuses a place behind a link that fenced agents may make: they must not decide which
// paths are writable next. A link to a path that the fence allows anyway is accepted.
func planted(all []followed) error {
	for _, f := range all {
		for _, link := range f.links {
			if by, ok := holds(all, link, func(followed) bool { return true }); ok {
				if _, open := holds(all, f.target, func(o followed) bool { return len(o.links) == 0 }); open {
					continue
				}
				return messages.Errorf(op, messages.Invalid, "%s leads to %s over the link %s, which fenced agents may have made: they write to %s",
					f.path, f.target, link, by).
					WithHint("look at the link; if it is yours, name its target in agent.fence_writable, else remove it, or start the session elsewhere")
			}
		}
	}
	return nil
}

// holds returns the place, of those that some selects, that contains a path.
func holds(all []followed, path string, some func(followed) bool) (string, bool) {
	for _, o := range all {
		if some(o) && within(path, o.target) {
			return o.target, true
		}
	}
	return "", false
}
