package rules

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pathPattern matches files as a line of .gitignore does.
type pathPattern struct {
	anchor anchor
	glob   string // below the anchor, without a leading slash
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
		p = pathPattern{atHome, "**"}
	case strings.HasPrefix(text, "~/"):
		p = pathPattern{atHome, text[2:]}
	case strings.HasPrefix(text, "//"):
		p = pathPattern{atRoot, text[2:]}
	case strings.HasPrefix(text, "/"):
		p = pathPattern{atEither, text[1:]}
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
	return pathPattern{p.anchor, clean}, doublestar.ValidatePattern(clean)
}

// any also matches what is below a matching directory.
func (p pathPattern) any(c *call) bool {
	for _, l := range c.paths {
		for _, base := range p.bases(l.place, true) {
			if p.below(base, l.path) {
				return true
			}
		}
	}
	return false
}

// covers wants every reading of the path to match.
func (p pathPattern) covers(c *call, _ int) bool {
	for _, l := range c.paths {
		rest, ok := relative(p.bases(l.place, false)[0], l.path)
		if !ok || !p.match(rest) {
			return false
		}
	}
	return len(c.paths) > 0
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

// Resolve finds out what a call's path and place are behind symbolic links. Of a
// path that does not exist yet, the part that exists is resolved. It looks at the
// disk.
func Resolve(c Call) Real {
	if !readers[c.Tool] && !writers[c.Tool] {
		return Real{}
	}
	var in input
	if json.Unmarshal(c.Input, &in) != nil {
		return Real{}
	}
	return Real{
		Path:  resolve(in.path(c.Place)),
		Place: Place{Directory: resolve(c.Place.Directory), Home: resolve(c.Place.Home)},
	}
}

// resolve follows the links of a path as far as it exists. A link to nowhere is
// followed too: who writes to it makes what it names.
func resolve(file string) string {
	missing := ""
	for hops := 0; hops < 64; {
		if found, err := filepath.EvalSymlinks(file); err == nil {
			return path.Join(found, missing)
		}
		if target, err := os.Readlink(file); err == nil {
			if !path.IsAbs(target) { // it begins where the directory really is
				target = path.Join(resolve(path.Dir(file)), target)
			}
			file, hops = target, hops+1
			continue
		}
		up := path.Dir(file)
		if up == file {
			break
		}
		missing, file = path.Join(path.Base(file), missing), up
	}
	return path.Join(file, missing)
}
