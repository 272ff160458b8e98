package rules

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pathPattern matches files as a line of .gitignore does.
type pathPattern struct {
	anchor anchor
	glob   string // below the anchor, without a leading slash
	edits  bool   // it is about writing, and not about reading
}

// anchor is what a pattern begins at.
type anchor uint8

const (
	atDirectory anchor = iota // the session's
	atHome
	atRoot
	atEither // "/x": the root for who denies, the session's directory for who allows
)

func newPathPattern(text string) (pathPattern, bool) {
	p := pathPattern{glob: text}
	switch {
	case text == "~":
		p = pathPattern{anchor: atHome, glob: "**"}
	case strings.HasPrefix(text, "~/"):
		p = pathPattern{anchor: atHome, glob: text[2:]}
	case strings.HasPrefix(text, "//"):
		p = pathPattern{anchor: atRoot, glob: text[2:]}
	case strings.HasPrefix(text, "/"):
		p = pathPattern{anchor: atEither, glob: text[1:]}
	case strings.HasPrefix(text, "./"):
		p.glob = text[2:]
	case !strings.Contains(strings.TrimSuffix(text, "/"), "/"):
		p.glob = "**/" + text // a name alone is one at any depth
	}
	if strings.HasSuffix(p.glob, "/") {
		p.glob += "**"
	}
	if p.glob == "" {
		p.glob = "**"
	}
	clean := path.Clean("/" + p.glob)[1:]
	return pathPattern{anchor: p.anchor, glob: clean}, doublestar.ValidatePattern(clean)
}

// bases returns the directories that a pattern may begin at.
func (p pathPattern) bases(place Place, either bool) []string {
	switch p.anchor {
	case atHome:
		return []string{place.Home}
	case atRoot:
		return []string{"/"}
	case atEither:
		if either {
			return []string{place.Directory, "/"}
		}
	case atDirectory:
	}
	return []string{place.Directory}
}

// below reports whether a file or a directory above it matches.
func (p pathPattern) below(base, file string) bool {
	rest, ok := relative(base, file)
	for ok {
		if p.match(rest) {
			return true
		}
		up := path.Dir(rest)
		ok = up != "." && up != "/" && up != rest
		rest = up
	}
	return false
}

func (p pathPattern) match(rest string) bool {
	ok, err := doublestar.Match(p.glob, rest)
	return ok && err == nil
}

// relative returns the part of a file's path behind a directory.
func relative(base, file string) (string, bool) {
	if base == "" {
		return "", false
	}
	base = strings.TrimSuffix(path.Clean(base), "/")
	if file == base {
		return ".", true
	}
	rest, ok := strings.CutPrefix(file, base+"/")
	return rest, ok
}
