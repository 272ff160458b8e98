package actors

import "betcode/messages"

// exposing completes requests that may change the mode of a session: an agent that accepts
// edits is confirmed where protected files are below its working directory. It looks at the
// disk, on the caller's goroutine.
func (s *System) exposing(r messages.Request) messages.Request {
	switch m := r.(type) {
	case messages.StartSession:
		if m.PermissionMode != "" {
			m.Exposed = s.protected.CheckDirectory(m.WorkingDirectory)
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

// exposedIn is the same for a session that exists.
func (s *System) exposedIn(id messages.SessionID) string {
	loaded, err := s.options.Store.Load(id)
	if err != nil || !loaded.Found {
		return "" // the session says what is wrong
	}
	return s.protected.CheckDirectory(loaded.Record.WorkingDirectory)
}
