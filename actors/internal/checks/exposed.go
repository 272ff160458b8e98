package checks

import "betcode/messages"

// Complete adds the protected files below the working directory to requests that may change the mode of a session,
// because a person confirms the mode of an agent that accepts edits there.
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
	case messages.Idempotent:
		if inner, ok := c.Complete(m.Request).(messages.SessionRequest); ok {
			m.Request = inner
		}
		return m
	}
	return r
}

// exposedIn returns the result of [Checks.exposedBelow] for an existing session.
func (c *Checks) exposedIn(id messages.SessionID) string {
	loaded, err := c.deps.Load(id)
	if err != nil || !loaded.Found {
		return "" // an error is the session's to report
	}
	options := loaded.Record.Options
	if loaded.Run != nil {
		options = loaded.Run.Options
	}
	return c.exposedBelow(loaded.Record.WorkingDirectory, options)
}

// exposedBelow returns the protected files below the working directory and the added ones,
// empty if there are none. It reads the disk.
func (c *Checks) exposedBelow(directory string, o messages.AgentOptions) string {
	for _, dir := range append([]string{directory}, o.Directories...) {
		if why := c.deps.Protected.CheckDirectory(dir); why != "" {
			return why
		}
	}
	return ""
}
