package checks

import "betcode/messages"

// Complete completes requests that may change the mode of a session with the protected files below its
// working directory: a person confirms the mode of an agent that accepts edits there.
func (c *Checks) Complete(r messages.Request) messages.Request {
	switch m := r.(type) {
	case messages.StartSession:
		if m.PermissionMode != "" {
			m.Exposed = c.exposedBelow(m.WorkingDirectory, m.Options)
		}
		return m
	case messages.ChangeSettings:
		if m.PermissionMode != "" {
			m.Exposed = c.exposedIn(m.Session)
		}
		return m
	case messages.AnswerPermission:
		if len(m.Suggestions) > 0 {
			m.Exposed = c.exposedIn(m.Session)
		}
		return m
	case messages.Once:
		if inner, ok := c.Complete(m.Request).(messages.SessionRequest); ok {
			m.Request = inner
		}
		return m
	}
	return r
}

// exposedIn returns what [Checks.exposedBelow] finds for an existing session.
func (c *Checks) exposedIn(id messages.SessionID) string {
	loaded, err := c.deps.Load(id)
	if err != nil || !loaded.Found {
		return "" // the session says what is wrong
	}
	options := loaded.Record.Options
	if loaded.Run != nil {
		options = loaded.Run.Options
	}
	return c.exposedBelow(loaded.Record.WorkingDirectory, options)
}

// exposedBelow says which protected files are below the working directory or an added one,
// empty if there are none. It reads the disk.
func (c *Checks) exposedBelow(directory string, o messages.AgentOptions) string {
	for _, dir := range append([]string{directory}, o.Directories...) {
		if why := c.deps.Protected.CheckDirectory(dir); why != "" {
			return why
		}
	}
	return ""
}
