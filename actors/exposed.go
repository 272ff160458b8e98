package actors

import "betcode/messages"

// exposing completes requests that may change the mode of a session: an agent that accepts
// edits is confirmed where protected files are below its working directory. It looks at the
// disk, on the caller's goroutine.
func (s *System) exposing(r messages.Request) messages.Request {
	switch m := r.(type) {
	case messages.StartSession:
		if m.PermissionMode != "" {
			m.Exposed = s.exposedBelow(m.WorkingDirectory, m.Options)
		}
		return m
	case messages.ChangeSettings:
		if m.PermissionMode != "" {
			m.Exposed = s.exposedIn(m.Session)
		}
		return m
	case messages.AnswerPermission:
		if len(m.Suggestions) > 0 {
			m.Exposed = s.exposedIn(m.Session)
		}
		return m
	case messages.Once:
		if inner, ok := s.exposing(m.Request).(messages.SessionRequest); ok {
			m.Request = inner
		}
		return m
	}
	return r
}

// exposedIn returns what [System.exposedBelow] finds for an existing session.
func (s *System) exposedIn(id messages.SessionID) string {
	loaded, err := s.options.Store.Load(id)
	if err != nil || !loaded.Found {
		return "" // the session says what is wrong
	}
	options := loaded.Record.Options
	if loaded.Run != nil {
		options = loaded.Run.Options
	}
	return s.exposedBelow(loaded.Record.WorkingDirectory, options)
}

// exposedBelow says which protected files are below the working directory or an added one,
// empty if there are none. It reads the disk.
func (s *System) exposedBelow(directory string, o messages.AgentOptions) string {
	for _, dir := range append([]string{directory}, o.Directories...) {
		if why := s.protected.CheckDirectory(dir); why != "" {
			return why
		}
	}
	return ""
}
