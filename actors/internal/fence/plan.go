package fence

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

const op = "fence agent"

// Project is the input of a fence. All paths are absolute.
type Project struct {
	Directory string   // the agent's working directory
	Home      string   // the user's home directory
	Temp      string   // the agent's own directory for temporary files
	Environ   []string // of the agent
	Writable  []string // the operator's setting: absolute, or ~/…
	Protected []string // directories of the daemon
}

// Available returns the version of Landlock's interface, and an error with the reason if there
// can be no fence here.
func Available() (version int, err error) {
	version = launch.FenceVersion()
	switch {
	case version == 0:
		return 0, messages.Errorf(op, messages.Unimplemented, "the kernel has no Landlock, or it is switched off").
			WithHint("fences need Linux 6.2 with Landlock among the active security modules; else set agent.fence to off")
	case version < launch.FenceWrites:
		return version, messages.Errorf(op, messages.Unimplemented, "the kernel's Landlock (version %d) cannot fence off all writes", version).
			WithHint("fences need Linux 6.2; else set agent.fence to off")
	}
	return version, nil
}

// HoldsSignals reports whether fences of that version restrict signals.
func HoldsSignals(version int) bool { return version >= launch.FenceSignals }

// devices are writable for everybody and store nothing.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// caches are those of common tools: the variable that moves a cache, its default place below the
// home directory, and the part of it that is a cache.
var caches = []struct {
	variable, otherwise string
	parts               []string
}{
	{"XDG_CACHE_HOME", ".cache", nil},
	{"npm_config_cache", ".npm", nil},
	{"GOPATH", "go", []string{"pkg"}},
	{"GOMODCACHE", "", nil},
	{"GOCACHE", "", nil},
	{"CARGO_HOME", ".cargo", []string{"registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"}},
	{"PIP_CACHE_DIR", "", nil},
	{"GRADLE_USER_HOME", ".gradle", []string{"caches", "daemon", "native", "notifications"}},
	{"", ".m2/repository", nil},
	{"NUGET_PACKAGES", ".nuget/packages", nil},
	{"", ".bun/install/cache", nil},
	{"", ".local/share/pnpm/store", nil},
	{"", ".yarn/berry/cache", nil},
}

// Plan returns all paths that a fenced agent may write to, sorted, symbolic links
// resolved, as far as they exist. It refuses places that contain a directory of the daemon,
// since that would be writable too, and places behind links that fenced agents may make.
func (p Project) Plan() ([]string, error) {
	wanted := append([]string{p.Directory, p.Temp}, repository(p.Directory, p.Home)...)
	wanted = append(wanted, devices...)
	wanted = append(wanted, p.agents()...)
	wanted = append(wanted, p.caches()...)
	for _, path := range p.Writable {
		named, err := p.named(path)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, named)
	}
	protected := resolved(p.Protected)
	var plan []string
	var all []followed
	for _, path := range wanted {
		f, err := follow(path)
		if err != nil {
			continue // it does not exist, so it is not writable
		}
		target := f.target
		if strings.ContainsRune(target, '\n') {
			return nil, messages.Errorf(op, messages.Invalid, "a fence cannot have a path with a line break: %q", target)
		}
		if err := apart(target, path, p.Temp, protected); err != nil {
			return nil, err
		}
		all, plan = append(all, f), append(plan, target)
	}
	if err := planted(all); err != nil {
		return nil, err
	}
	slices.Sort(plan)
	return slices.Compact(plan), nil
}

// apart refuses a place that contains, or is in, a directory of the daemon. The agent's own
// directory for temporary files is in one.
func apart(target, path, temp string, protected []string) error {
	for _, dir := range protected {
		if within(dir, target) || within(target, dir) && path != temp {
			return messages.Errorf(op, messages.Invalid, "%s would be writable for the agent, and with it the daemon's own directory %s", target, dir).
				WithHint("start the session in a directory of its own, look at agent.fence_writable, or set agent.fence to off")
		}
	}
	return nil
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

func resolved(paths []string) []string {
	var all []string
	for _, path := range paths {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			all = append(all, target)
		} else if !errors.Is(err, os.ErrNotExist) {
			all = append(all, filepath.Clean(path))
		}
	}
	return all
}

// named resolves a path as the operator wrote it.
func (p Project) named(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.Home != "" {
		path = filepath.Join(p.Home, rest)
	}
	if !filepath.IsAbs(path) {
		return "", messages.Errorf(op, messages.Invalid, "agent.fence_writable: %q is not absolute", path)
	}
	return path, nil
}

// agents returns the places where Claude Code stores its configuration and transcripts. It
// replaces .claude.json by renaming a file in the home directory, which the fence denies,
// and then writes it in place.
func (p Project) agents() []string {
	if dir := p.variable("CLAUDE_CONFIG_DIR"); dir != "" {
		return []string{dir}
	}
	return p.atHome(".claude", ".claude.json")
}

func (p Project) caches() []string {
	var all []string
	for _, c := range caches {
		dirs := p.atHome(c.otherwise)
		if moved := p.variable(c.variable); moved != "" {
			dirs = []string{moved}
		}
		for _, dir := range dirs {
			if c.parts == nil {
				all = append(all, dir)
			}
			for _, part := range c.parts {
				all = append(all, filepath.Join(dir, part))
			}
		}
	}
	return all
}

// atHome returns paths below the home directory, without empty names.
func (p Project) atHome(names ...string) []string {
	var all []string
	for _, name := range names {
		if name != "" && p.Home != "" {
			all = append(all, filepath.Join(p.Home, name))
		}
	}
	return all
}

// variable returns a variable of the agent's environment, if it is an absolute path.
func (p Project) variable(name string) string {
	value := ""
	for _, entry := range p.Environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name && name != "" {
			value = v
		}
	}
	if !filepath.IsAbs(value) {
		return ""
	}
	return value
}
