package session

import (
	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// errProxyDetached ends a connection whose session is rebuilt. The proxy registers again.
var errProxyDetached = messages.Errorf("serve proxy", messages.Unavailable, "the session's actor is being restarted").
	WithHint("connect again in a moment")

// performProxy carries out what concerns the connection of a proxy. A connection that has ended is not told anything.
func (s *session) performProxy(e act.Effect) {
	switch e := e.(type) {
	case openProxy:
		s.proxies[e.connection] = e.sink
	case sendToProxy:
		failpoint.Hit(failpoint.ProxySend)
		if sink := s.proxies[e.connection]; sink != nil {
			sink.Send(e.event)
		}
	case closeProxy:
		sink := s.proxies[e.connection]
		delete(s.proxies, e.connection)
		if sink == nil {
			return
		}
		if e.last != nil {
			sink.Send(e.last)
		}
		if e.reason == nil {
			sink.Close(nil)
		} else {
			sink.Close(e.reason)
		}
	}
}

// leaveProxies ends the connections when the actor ends.
func (s *session) leaveProxies() {
	for _, sink := range s.proxies {
		sink.Close(errProxyDetached)
	}
	clear(s.proxies)
}
