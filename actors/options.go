package actors

import (
	"os"
	"path/filepath"
	"strings"

	"betcode/actors/internal/launchplan"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// optionsOf checks the options of a new session against the disk and the installed version
// of the agent, and returns them as they are stored. Those of a session that exists are
// not used. It may run the agent's program, so it works on the caller's goroutine.
func (s *System) optionsOf(m messages.StartSession) (messages.AgentOptions, error) {
	const op = "start session"
	o := m.Options
	if o.Empty() || s.queries.Exists(m.Session) {
		return o, nil
	}
	if lacking := launchplan.LackingOption(o, s.planner.Version()); lacking != "" {
		return o, messages.Errorf(op, messages.WrongState, "%s", lacking).
			WithHint("leave the option out, or upgrade the agent: " + claudecode.UpgradeCommand())
	}
	o, err := o.Checked()
	if err != nil {
		return o, messages.Errorf(op, messages.Invalid, "%w", err)
	}
	for i, dir := range o.Directories {
		if o.Directories[i], err = s.addedDirectory(op, dir); err != nil {
			return o, err
		}
	}
	return o, nil
}

// addedDirectory returns an additional directory behind symbolic links. One that holds, or
// lies in, a directory of the daemon is refused: an agent that writes there decides about
// itself.
func (s *System) addedDirectory(op, dir string) (string, error) {
	refuse := func(hint, format string, args ...any) error {
		return messages.Errorf(op, messages.Invalid, "additional directory: "+format, args...).WithHint(hint)
	}
	target, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", refuse("create the directory, or name another", "%w", err)
	}
	switch info, err := os.Stat(target); {
	case err != nil:
		return "", refuse("create the directory, or name another", "%w", err)
	case !info.IsDir():
		return "", refuse("name the directory that it is in", "%s is not a directory", target)
	}
	for _, own := range append([]string{filepath.Dir(s.options.RunsDirectory)}, s.options.Protected...) {
		if found, err := filepath.EvalSymlinks(own); err == nil {
			own = found
		}
		if below(own, target) || below(target, own) {
			return "", refuse("name a directory that has nothing of the daemon's in it", "%s holds, or is in, the daemon's own directory %s", target, own)
		}
	}
	return target, nil
}

// below reports whether a path is a directory, or in it. Names are not enough: where the file
// system takes letters of either case, or a directory is mounted twice, one place has several.
func below(path, dir string) bool {
	if path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)) {
		return true
	}
	wanted, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for {
		if here, err := os.Stat(path); err == nil && os.SameFile(here, wanted) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}
