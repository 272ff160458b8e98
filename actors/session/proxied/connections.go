package proxied

import "betcode/messages"

// Connections are the connections of proxies to a session's actor, by name. A connection that has ended is not told anything.
type Connections map[string]messages.ProxySink

// Open adds a connection.
func (c Connections) Open(name string, sink messages.ProxySink) { c[name] = sink }

// Send tells a proxy something.
func (c Connections) Send(name string, e messages.ProxyEvent) {
	if sink := c[name]; sink != nil {
		sink.Send(e)
	}
}

// Close ends a connection behind a last event, which may be nil. A nil reason is a clean end.
func (c Connections) Close(name string, last messages.ProxyEvent, reason *messages.Error) {
	sink := c[name]
	delete(c, name)
	if sink == nil {
		return
	}
	if last != nil {
		sink.Send(last)
	}
	if reason == nil {
		sink.Close(nil)
	} else {
		sink.Close(reason)
	}
}

// CloseAll ends all connections, because the session's actor ends. The proxies register again.
func (c Connections) CloseAll() {
	for _, sink := range c {
		sink.Close(errDetached)
	}
	clear(c)
}

var errDetached = messages.Errorf("serve proxy", messages.Unavailable, "the session's actor is being restarted").WithHint("connect again in a moment")

// Replaced is the reason for the end of a connection in whose place another one has come.
func Replaced(id messages.SessionID) *messages.Error {
	return messages.Errorf("serve proxy", messages.Aborted, "the proxy has connected again").
		With("session_id", string(id)).WithHint("end one of the proxies if two of them serve this session")
}

// Stale is the error of a connection that the session does not have, or has no more.
func Stale(id messages.SessionID) *messages.Error {
	return messages.Errorf("take output of a proxy", messages.Aborted, "the connection is no longer the session's").
		With("session_id", string(id)).WithHint("connect again, and register the session")
}

// Ended is the error of a session that has ended for good: its proxy is not to connect again.
func Ended(id messages.SessionID, why string) *messages.Error {
	return messages.Errorf("serve proxy", messages.WrongState, "the session has ended: %s", why).WithCode(messages.SessionClosed).
		With("session_id", string(id)).WithHint("register another session id")
}

// NotFound answers alike for a session that does not exist, that the daemon runs itself, and that is of another owner.
func NotFound(op string, id messages.SessionID) *messages.Error {
	return messages.Errorf(op, messages.NotFound, "session %s does not exist, or belongs to another person", id).
		WithCode(messages.SessionNotFound).With("session_id", string(id)).WithHint("register another session id")
}
