package checks

import (
	"cmp"
	"os"
	"path/filepath"

	"betcode/actors/internal/launchplan"
	"betcode/actors/internal/paths"
	"betcode/messages"
	"betcode/messages/claudecode"
)

const op = "start session"

// Start checks a request to start a session, and completes it: with its directory's symbolic links resolved, the options as they
// are stored, and the defaults of the directory. It does not change a request for an existing session.
func (c *Checks) Start(m messages.StartSession) (messages.StartSession, error) {
	m.Resolved = ""
	if c.deps.Exists(m.Session) {
		return m, nil
	}
	var err error
	if m.Resolved, err = c.Directory(m.WorkingDirectory); err != nil {
		return m, err
	}
	if m.Options, err = c.options(m); err != nil {
		return m, err
	}
	d := c.deps.Directories.Defaults(m.WorkingDirectory)
	m.Model, m.Resume = cmp.Or(m.Model, d.Model), cmp.Or(m.Resume, d.Resume)
	return m, nil
}

// Directory refuses the directory of a new session if it does not exist, and returns it with symbolic links resolved, empty
// if there are none.
func (c *Checks) Directory(directory string) (resolved string, err error) {
	if directory == "" {
		return "", messages.Errorf(op, messages.Invalid, "a new session needs a working directory").WithHint("set working_directory to an absolute path")
	}
	info, err := os.Stat(directory)
	if err == nil {
		resolved, err = filepath.EvalSymlinks(directory)
	}
	switch {
	case err != nil:
		return "", messages.Errorf(op, messages.Invalid, "working directory: %w", err).WithHint("create the directory, or name another")
	case !info.IsDir():
		return "", messages.Errorf(op, messages.Invalid, "working directory %s is not a directory", directory)
	case resolved == directory:
		return "", nil
	}
	return resolved, nil
}

// options checks the options of a new session against the disk and the installed version of the agent, and returns them as they
// are stored. It may run the agent's program.
func (c *Checks) options(m messages.StartSession) (messages.AgentOptions, error) {
	o := m.Options
	if o.Empty() {
		return o, nil
	}
	if lacking := launchplan.LackingOption(o, c.deps.Version()); lacking != "" {
		return o, messages.Errorf(op, messages.WrongState, "%s", lacking).
			WithHint("leave the option out, or upgrade the agent: " + claudecode.UpgradeCommand())
	}
	o, err := o.Checked()
	if err != nil {
		return o, messages.Errorf(op, messages.Invalid, "%w", err)
	}
	for i, dir := range o.Directories {
		if o.Directories[i], err = c.addedDirectory(dir); err != nil {
			return o, err
		}
	}
	return o, nil
}

// addedDirectory returns an additional directory with symbolic links resolved. It refuses one that
// contains, or is in, a directory of the daemon: an agent that writes there decides about
// itself.
func (c *Checks) addedDirectory(dir string) (string, error) {
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
	for _, own := range c.deps.Own {
		if found, err := filepath.EvalSymlinks(own); err == nil {
			own = found
		}
		if paths.Below(own, target) || paths.Below(target, own) {
			return "", refuse("name a directory that has nothing of the daemon's in it", "%s holds, or is in, the daemon's own directory %s", target, own)
		}
	}
	return target, nil
}
