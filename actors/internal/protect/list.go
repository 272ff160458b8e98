package protect

import (
	"cmp"
	"path"
	"strings"
)

// Places are the directories that the list depends on: absolute paths, as they are
// spelled. An empty one is not listed.
type Places struct {
	Home   string   // the user's
	Agent  []string // the agents' configuration directories, besides ~/.claude
	Daemon []string // configuration, state and sockets of the daemon
}

// List is the built-in list. It does not change, and is safe for concurrent use. The nil list is
// empty.
type List struct {
	home  []string // in both spellings
	roots []root   // directories and files by their whole path
}

type root struct{ path, folded, reason string }

// New makes the list of places. actual are the same places with symbolic links resolved
// ([Places.Resolve]).
func New(spelled, actual Places) *List {
	l := &List{}
	add := func(reason string, dirs ...string) {
		for _, d := range dirs {
			if d != "" && path.Clean(d) != "/" {
				l.roots = append(l.roots, root{path.Clean(d), foldPath(path.Clean(d)), reason})
			}
		}
	}
	for _, p := range []Places{spelled, actual} {
		add(agents, p.Agent...)
		add(ours, p.Daemon...)
		if p.Home == "" || path.Clean(p.Home) == "/" && len(l.home) > 0 {
			continue
		}
		l.home = append(l.home, path.Clean(p.Home))
		add(agents, path.Join(p.Home, ".claude"))
		add(keys, path.Join(p.Home, ".ssh"))
		for name, reason := range atHome {
			add(reason, path.Join(p.Home, name))
		}
	}
	return l
}

// Path returns why a file is listed: a sentence without its end. It is empty for a file
// that is not listed. The path is absolute.
func (l *List) Path(file string) string {
	if l == nil {
		return ""
	}
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	if reason := l.listed(foldPath(file)); reason != "" {
		return file + " " + reason
	}
	return ""
}

func (l *List) listed(folded string) string {
	if strings.HasPrefix(folded, "/proc/") && folded != "/proc/self/fd/1" && folded != "/proc/self/fd/2" {
		return processes
	}
	for _, r := range l.roots {
		if within(r.folded, folded) && (r.reason != agents || !papers(strings.TrimPrefix(folded, r.folded+"/"))) {
			return r.reason
		}
	}
	for _, home := range l.home {
		rest, below := strings.CutPrefix(folded, foldPath(home)+"/")
		if below && strings.HasPrefix(rest, ".claude") && !papers(strings.TrimPrefix(rest, ".claude/")) {
			return agents
		}
	}
	return named(afterWorktree(folded))
}

// named returns why a name is listed in any directory.
func named(folded string) string {
	parts := strings.Split(folded, "/")
	for n, part := range parts {
		if reason := directories[part]; reason != "" && (reason != agents || !papers(strings.Join(parts[n+1:], "/"))) {
			return reason
		}
	}
	return files[path.Base(folded)]
}

// papers reports whether a path below an agent's directory is for the agent's plans and
// memory: it writes there without asking, and none of it is run.
func papers(rest string) bool {
	first, rest, found := strings.Cut(rest, "/")
	switch {
	case !found || rest == "":
		return false
	case first == "plans":
		return !strings.Contains(rest, "/.") && !strings.HasPrefix(rest, ".")
	case first == "projects":
		_, rest, _ = strings.Cut(rest, "/")
		return strings.HasPrefix(rest, "memory/") && !strings.Contains(rest, "/.")
	}
	return false
}

// outside are the patterns of everything below an agent's directory but plans and
// projects. The agent's patterns know no exceptions, and no negated characters.
var outside = []string{"[a-oq-z0-9._-]*", "p[a-km-qs-z0-9._-]*", "pl[b-z0-9._-]*", "pr[a-np-z0-9._-]*"}

// Above returns why a directory must not be replaced or removed as a whole: a listed
// one is in it. Examples are the home directory and directories above
// it.
func (l *List) Above(dir string) string {
	if l == nil {
		return ""
	}
	folded := foldPath(path.Clean(dir))
	for _, r := range l.roots {
		if within(folded, r.folded) && folded != r.folded {
			return cmp.Or(path.Clean(dir), "/") + " contains " + r.path + ", which " + r.reason
		}
	}
	return ""
}

// Exposed returns why an agent that changes files below a directory without asking may
// change listed ones: the directory is listed, or contains listed ones besides those of its
// own project. The path is absolute.
func (l *List) Exposed(dir string) string { return cmp.Or(l.Above(dir), l.Path(dir)) }

// within reports whether a path is a directory or below it.
func within(dir, file string) bool {
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

// afterWorktree leaves out the directories up to a worktree that agents have below
// .claude, in which otherwise everything would be listed.
func afterWorktree(folded string) string {
	const place = "/.claude/worktrees/"
	for {
		_, rest, found := strings.Cut(folded, place)
		if !found {
			return folded
		}
		_, inside, deeper := strings.Cut(rest, "/")
		if !deeper {
			return folded
		}
		folded = "/" + inside
	}
}

// Rules returns the list as ask rules in the agent's notation, for an agent in a
// working directory. They cover writes of the tools for files, which are all that the agent's
// own rules for paths apply to. A pattern also covers everything below.
func (l *List) Rules(directory string) []string {
	if l == nil {
		return nil
	}
	anywhere := "//**/"
	if afterWorktree(foldPath(directory)+"/") != foldPath(directory)+"/" {
		anywhere = "**/" // below the working directory only: it is itself below .claude
	}
	var all []string
	add := func(pattern string) { all = append(all, "Edit("+pattern+")") }
	below := func(dir string) {
		for _, pattern := range outside {
			add(dir + "/" + pattern)
		}
	}
	for _, name := range sorted(directories) {
		switch {
		case strings.Contains(name, "~"):
		case directories[name] == agents:
			below(anywhere + name)
		default:
			add(anywhere + name)
		}
	}
	for _, name := range sorted(files) {
		add(anywhere + name)
	}
	seen := map[string]bool{}
	for _, r := range l.roots {
		if seen[r.path] || !plain(r.path) {
			continue
		}
		if seen[r.path] = true; r.reason == agents {
			below("/" + r.path)
		} else {
			add("/" + r.path)
		}
	}
	for _, home := range l.home {
		if !seen[home] && plain(home) {
			add("/" + home + "/.claude.*")
			seen[home] = true
		}
	}
	return all
}

// plain reports whether a path has no special characters of a pattern.
func plain(file string) bool { return !strings.ContainsAny(file, `*?[]{}()!\`) }
