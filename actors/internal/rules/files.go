package rules

import (
	"path"
	"strings"

	"betcode/actors/internal/realpath"
)

// located is one reading of a path and of the place of its call.
type located struct {
	path     string // absolute and clean; in a shell command it may have holes
	place    Place
	area     bool // the call may reach everything below the path
	doubtful bool // it may not be a path
}

// readPath reads the path of a tool for files.
func (c *call) readPath(spelled string, in input, from Call) {
	search := searches[from.Tool]
	if spelled == "" {
		if !search {
			c.unread = "its path is empty"
			c.opaque = c.unread
		}
		spelled = from.Place.Directory
	}
	if odd := oddPath(spelled); odd != "" {
		c.opaque, c.unread = odd, odd
	}
	if from.Tool == "Glob" {
		if pattern, _ := in.text("pattern"); leaves(pattern) {
			c.opaque, c.unread = "its pattern may leave the directory", "its pattern may leave the directory"
		}
	}
	if from.Real.Doubt != "" {
		c.opaque, c.unread = first(c.opaque, from.Real.Doubt), first(c.unread, from.Real.Doubt)
	}
	area := search && !from.Real.Regular
	for _, p := range spellings(spelled, from.Place) {
		if len(p) > realpath.MaxLength {
			c.opaque, c.unread = "its path is too long", "its path is too long"
			continue
		}
		c.paths = append(c.paths, located{path: p, place: from.Place, area: area})
	}
	if from.Real.Path != "" && len(from.Real.Path) <= realpath.MaxLength {
		c.paths = append(c.paths, located{path: from.Real.Path, place: from.Real.Place, area: area})
	}
}

// searches are the tools that search below their path.
var searches = map[string]bool{"Grep": true, "Glob": true, "LS": true}

// oddPath returns why a path may name another file than it seems to.
func oddPath(spelled string) string {
	if strings.TrimSpace(spelled) != spelled {
		return "its path has blanks around it" // the agent removes them
	}
	for n := range len(spelled) {
		if spelled[n] < ' ' || spelled[n] == 0x7f {
			return "its path has a control character"
		}
	}
	return ""
}

// leaves reports whether a glob may find files that are not below its directory.
func leaves(pattern string) bool {
	return strings.Contains(pattern, "..") || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") ||
		strings.ContainsAny(pattern, "\\\x00") || strings.HasPrefix(strings.TrimLeft(pattern, "{ "), "/") || strings.Contains(pattern, ",/")
}

// spellings returns the paths that a spelling may mean: the root and the working
// directory of a process have names in /proc.
func spellings(spelled string, place Place) []string {
	p := absolute(strings.TrimSpace(spelled), place)
	all := []string{p}
	for _, self := range []string{"/proc/self/", "/proc/thread-self/"} {
		rest, ok := strings.CutPrefix(p, self)
		if !ok {
			continue
		}
		switch name, below, _ := strings.Cut(rest, "/"); name {
		case "root":
			all = append(all, path.Clean("/"+below))
		case "cwd":
			all = append(all, path.Join(place.Directory, below))
		}
	}
	return all
}

// absolute cleans a path and makes it absolute.
func absolute(p string, place Place) string { return path.Clean(rooted(p, place)) }

// rooted makes a path absolute, and leaves ".." in it.
func rooted(p string, place Place) string {
	switch {
	case p == "~":
		return place.Home
	case strings.HasPrefix(p, "~/"):
		return place.Home + p[1:]
	case path.IsAbs(p):
		return p
	}
	return place.Directory + "/" + p
}

// Real has the paths of a call and its place with symbolic links resolved.
type Real struct {
	Path    string // of a tool for files
	Place   Place
	Regular bool                     // Path is a regular file
	Doubt   string                   // why the path may lead elsewhere, empty if it does not
	Files   map[string]realpath.File // of a shell command: the targets of the paths in it
}

// Resolve resolves the symbolic links in a call's paths and place. Of a
// path that does not exist yet, the part that exists is resolved. It reads the
// disk.
func Resolve(c Call) Real {
	in := readInput(c.Tool, c.Input)
	argument, given := in.text(deciding[c.Tool])
	found := Real{Place: Place{Directory: realpath.Resolve(c.Place.Directory).Path, Home: realpath.Resolve(c.Place.Home).Path}}
	switch {
	case c.Tool == "Bash":
		if !given {
			return Real{}
		}
		found.Files = resolveUsed(argument, c.Place)
	case readers[c.Tool] || writers[c.Tool]:
		spelled := absolute(strings.TrimSpace(first(argument, c.Place.Directory)), c.Place)
		f := realpath.Resolve(spelled)
		found.Path, found.Regular, found.Doubt = f.Path, f.Regular(), f.Doubt
		if realpath.PerProcess(spelled) {
			found.Doubt = "it leads through the directory of a process in /proc"
		}
	default:
		return Real{}
	}
	return found
}
