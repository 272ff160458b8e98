package main

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// proxiedScenarios attack what docs/security.md says of: proxied sessions.
var proxiedScenarios = []scenario{
	{name: "proxied sessions: another token", env: listening, attack: attackProxiedOwner},
	{name: "proxied sessions: a flood of lines", attack: attackProxiedFlood},
}

// attackProxiedOwner has another token register, replace and name sessions that are not its own.
func attackProxiedOwner(s *siege) {
	local := session()
	s.turn(s.converse("person", local), "echo:hello")
	owner := s.daemon.Over(s.remote(s.address(), s.token("laptop", "proxy")))
	thief := s.daemon.Over(s.remote(s.address(), s.token("thief", "proxy", "control")))
	id := session()
	mine := kit.NewScriptedProxy(id)
	call, err := mine.Connect(s, owner)
	s.must(err, "register a session")
	s.later(call.Close)

	texts := map[string]string{}
	for _, target := range []struct{ name, id string }{{"a session of another token", id}, {"a session of the daemon's own", local}} {
		_, err := kit.NewScriptedProxy(target.id).Connect(s, thief)
		s.held(target.name+" cannot be registered", status.Code(err) == codes.NotFound, "%v", err)
	}
	for _, target := range []struct{ name, id string }{
		{"a session of another token", id}, {"a session of the daemon's own", local}, {"an unknown session", session()},
	} {
		p := kit.NewScriptedProxy(session())
		p.Register.ReplacesSessionId = target.id
		_, err := p.Connect(s, thief)
		s.held(target.name+" cannot be replaced", status.Code(err) == codes.NotFound, "%v", err)
		_, shown := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: p.Register.GetSessionId()})
		s.held("nothing is begun instead of "+target.name, status.Code(shown) == codes.NotFound, "%v", shown)
		texts[target.name] = fmt.Sprint(status.Code(err))
	}
	s.held("foreign and unknown sessions have one answer", texts["a session of another token"] == texts["an unknown session"], "%v", texts)
	_, err = pb.NewAgentServiceClient(owner.Conn()).ListSessions(s, &pb.ListSessionsRequest{})
	s.held("the token of a proxy sees nothing", status.Code(err) == codes.PermissionDenied, "%v", err)

	mine.Output(`{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"still here"}]}}`)
	c := s.converse("person", id)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetTextDelta().GetText() == "still here" })
	s.held("the owner goes on", true, "")
}

// attackProxiedFlood sends lines as fast as the daemon takes them, while a person works in another session.
func attackProxiedFlood(s *siege) {
	p := kit.NewScriptedProxy(session())
	call, err := p.Connect(s, s.daemon)
	s.must(err, "register a session")
	stop, done := make(chan struct{}), make(chan struct{})
	s.later(func() { <-done })
	s.later(call.Close)
	s.later(func() { close(stop) })
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				p.Output(fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":"flood"}]}}`, n))
			}
		}
	}()
	c := s.converse("person", session())
	s.turn(c, "echo:hello")
	s.held("a person works on", true, "")
}
