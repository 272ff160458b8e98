package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"betcode/actors/internal/realpath"
)

// any also matches everything below a matching directory.
func (p pathPattern) any(c *call) bool {
	for _, l := range c.files(p.edits) {
		if !l.doubtful && !open(l.path) && p.forbids(l) {
			return true
		}
	}
	return false
}

func (p pathPattern) forbids(l located) bool {
	for _, base := range p.bases(l.place, true) {
		if p.below(base, l.path) {
			return true
		}
	}
	return false
}

// may reports whether the call may reach a file that matches: its search covers one, a file
// system may treat the names as equal, or the target of the path is unknown.
func (p pathPattern) may(c *call) bool {
	for _, l := range c.files(p.edits) {
		if open(l.path) {
			if p.mayName(l) {
				return true
			}
			continue
		}
		if realpath.PerProcess(l.path) && (c.tool != "Bash" || !strings.HasPrefix(l.path, "/dev/")) {
			return true
		}
		if folded := p.folded(); folded.forbids(l.folded()) || l.area && folded.overlaps(l.folded()) {
			return true
		}
	}
	return false
}

// folded returns the pattern with names in the form in which a file system may treat them as
// equal ([realpath.Fold]).
func (p pathPattern) folded() pathPattern {
	p.globs = slices.Clone(p.globs)
	for n, glob := range p.globs {
		p.globs[n] = realpath.Fold(glob)
	}
	return p
}

func (l located) folded() located {
	l.path = realpath.Fold(l.path)
	l.place = Place{Directory: realpath.Fold(l.place.Directory), Home: realpath.Fold(l.place.Home)}
	return l
}

// mayName reports whether a path with holes may be, or be below, a matching one. The files
// that a glob finds are in its directory, and a pattern for names at any depth is compared
// with the last name.
func (p pathPattern) mayName(l located) bool {
	if at := strings.Index(l.path, names); at >= 0 && !strings.Contains(l.path, hole) {
		dir := l.folded()
		dir.path = path.Dir(dir.path[:at] + "x")
		if folded := p.folded(); !folded.overlaps(dir) && !folded.forbids(dir) {
			return false
		}
	}
	return slices.ContainsFunc(p.globs, func(glob string) bool {
		name, anywhere := strings.CutPrefix(glob, "**/")
		if !anywhere || strings.ContainsAny(name, "/?[\\") || open(l.path[len(l.path)-1:]) {
			return true
		}
		return mayMatch(realpath.Fold(name), realpath.Fold(path.Base(l.path)))
	})
}

// overlaps reports whether a matching file may be below a directory.
func (p pathPattern) overlaps(l located) bool {
	for _, base := range p.bases(l.place, true) {
		if _, above := relative(l.path, path.Clean(base)); above {
			return true
		}
		if rest, below := relative(base, l.path); below && slices.ContainsFunc(p.globs, func(glob string) bool { return begins(glob, rest) }) {
			return true
		}
	}
	return false
}

// begins reports whether a path that matches a glob may begin with a directory.
func begins(glob, dir string) bool {
	if strings.Contains(glob, `\`) {
		return true // a slash may be quoted
	}
	names := strings.Split(dir, "/")
	for n, segment := range strings.Split(glob, "/") {
		if segment == "**" || n == len(names) {
			return true
		}
		if ok, err := doublestar.Match(segment, names[n]); err != nil || !ok {
			return false
		}
	}
	return false
}

// covers requires every reading of the path to match, and of a search everything that
// may be below it.
func (p pathPattern) covers(c *call, _ int) bool {
	if c.tool == "Bash" {
		return false
	}
	for _, l := range c.paths {
		rest, ok := relative(p.bases(l.place, false)[0], l.path)
		if !ok || !p.match(rest) || realpath.PerProcess(l.path) {
			return false
		}
		if l.area && (!p.match(path.Join(rest, "\x01")) || !p.match(path.Join(rest, "\x01/.\x02/\x03.\x04"))) {
			return false
		}
	}
	return len(c.paths) > 0
}
