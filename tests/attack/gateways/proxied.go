package gateways

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// proxiedScenarios attack the claims of docs/security.md about proxied sessions.
var proxiedScenarios = []siege.Scenario{
	{Name: "proxied sessions: another token", Env: siege.Listening, Attack: attackProxiedOwner},
	{Name: "proxied sessions: a flood of lines", Attack: attackProxiedFlood},
}

// attackProxiedOwner has another token register, replace and name sessions that are not its own.
func attackProxiedOwner(s *siege.Siege) {
	local := siege.NewSession()
	s.Turn(s.Converse("person", local), "echo:hello")
	owner := s.Daemon.Over(s.Remote(s.Address(), s.Token("laptop", "proxy")))
	thief := s.Daemon.Over(s.Remote(s.Address(), s.Token("thief", "proxy", "control")))
	id := siege.NewSession()
	mine := kit.NewScriptedProxy(id)
	call, err := mine.Connect(s, owner)
	s.Must(err, "register a session")
	s.Later(call.Close)

	texts := map[string]string{}
	for _, target := range []struct{ name, id string }{{"a session of another token", id}, {"a session of the daemon's own", local}} {
		_, err := kit.NewScriptedProxy(target.id).Connect(s, thief)
		s.Held(target.name+" cannot be registered", status.Code(err) == codes.NotFound, "%v", err)
	}
	for _, target := range []struct{ name, id string }{
		{"a session of another token", id}, {"a session of the daemon's own", local}, {"an unknown session", siege.NewSession()},
	} {
		p := kit.NewScriptedProxy(siege.NewSession())
		p.Register.ReplacesSessionId = target.id
		_, err := p.Connect(s, thief)
		s.Held(target.name+" cannot be replaced", status.Code(err) == codes.NotFound, "%v", err)
		_, shown := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: p.Register.GetSessionId()})
		s.Held("nothing is begun instead of "+target.name, status.Code(shown) == codes.NotFound, "%v", shown)
		texts[target.name] = fmt.Sprint(status.Code(err))
	}
	s.Held("foreign and unknown sessions have one answer", texts["a session of another token"] == texts["an unknown session"], "%v", texts)
	_, err = pb.NewAgentServiceClient(owner.Conn()).ListSessions(s, &pb.ListSessionsRequest{})
	s.Held("the token of a proxy sees nothing", status.Code(err) == codes.PermissionDenied, "%v", err)

	mine.Output(`{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"still here"}]}}`)
	c := s.Converse("person", id)
	s.Wait(c, 0, func(e kit.Event) bool { return e.GetTextDelta().GetText() == "still here" })
	s.Held("the owner goes on", true, "")
}

// attackProxiedFlood sends lines as fast as the daemon takes them, while a person works in another session.
func attackProxiedFlood(s *siege.Siege) {
	p := kit.NewScriptedProxy(siege.NewSession())
	call, err := p.Connect(s, s.Daemon)
	s.Must(err, "register a session")
	stop, done := make(chan struct{}), make(chan struct{})
	s.Later(func() { <-done })
	s.Later(call.Close)
	s.Later(func() { close(stop) })
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
	c := s.Converse("person", siege.NewSession())
	s.Turn(c, "echo:hello")
	s.Held("a person works on", true, "")
}
