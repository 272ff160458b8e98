package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pathPattern matches files as a line of .gitignore does.
type pathPattern struct {
	anchor anchor
	globs  []string // any of them; below the anchor, without a leading slash and without braces
	edits  bool     // it is about writing, and not about reading
}

// anchor is the directory that a pattern is relative to.
type anchor uint8

const (
	atDirectory anchor = iota // the session's
	atHome
	atRoot
	atEither // "/x": the root in deny rules, the session's directory in allow rules
)

func newPathPattern(text string) (pathPattern, bool) {
	anchor, glob := atDirectory, text
	switch {
	case text == "~":
		anchor, glob = atHome, "**"
	case strings.HasPrefix(text, "~/"):
		anchor, glob = atHome, text[2:]
	case strings.HasPrefix(text, "//"):
		anchor, glob = atRoot, text[2:]
	case strings.HasPrefix(text, "/"):
		anchor, glob = atEither, text[1:]
	case strings.HasPrefix(text, "./"):
		glob = text[2:]
	case !strings.Contains(strings.TrimSuffix(text, "/"), "/"):
		glob = "**/" + text // a name alone matches at any depth
	}
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	if glob == "" {
		glob = "**"
	}
	clean := path.Clean("/" + glob)[1:]
	globs, ok := alternatives(clean)
	return pathPattern{anchor: anchor, globs: globs}, ok && doublestar.ValidatePattern(clean)
}

// bases returns the directories that a pattern may be relative to.
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
	if !ok || rest == "." {
		return ok && p.match(rest)
	}
	return slices.ContainsFunc(p.globs, func(glob string) bool {
		return matches(glob, rest) || matches(glob+"/**", rest)
	})
}

func (p pathPattern) match(rest string) bool {
	return slices.ContainsFunc(p.globs, func(glob string) bool { return matches(glob, rest) })
}

func matches(glob, rest string) bool {
	ok, err := doublestar.Match(glob, rest)
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
