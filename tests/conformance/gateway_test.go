package conformance

import (
	"net"
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// gatewayStories are about the agent socket.
var gatewayStories = []story{
	{name: "agent socket", run: agentSocket},
	{name: "agent socket without a client", run: agentSocketLeft},
}

// agent is a client of the agent socket.
type agent struct {
	*stage
	*kit.Agent
}

type object map[string]any

func (s *stage) gateway() (*kit.Gateway, agent) {
	s.Helper()
	g, err := s.world.Gateway()
	s.must(err)
	s.Cleanup(g.Kill)
	return g, s.agent(g)
}

func (s *stage) agent(g *kit.Gateway) agent {
	s.Helper()
	a, err := g.Dial()
	s.must(err)
	s.Cleanup(func() { a.Conn.Close() })
	return agent{s, a}
}

func (a agent) send(kind, session string, members object) {
	a.Helper()
	line := object{"type": kind, "sessionId": session}
	for name, value := range members {
		line[name] = value
	}
	a.must(a.Send(line))
}

func (a agent) wait(kind string) kit.AgentLine {
	a.Helper()
	l, err := a.Wait(kind)
	a.must(err)
	if !strings.HasPrefix(l.Raw, `{"sessionId":"`+l.Text("sessionId")+`","type":"`+l.Text("type")+`"`) {
		a.Errorf("the line begins otherwise: %s", l.Raw)
	}
	return l
}

// has checks that a line has members, and that others are not there.
func (a agent) has(l kit.AgentLine, members ...string) {
	a.Helper()
	for _, m := range members {
		if _, ok := l.Of[m]; !ok {
			a.Errorf("%s has no %s", l.Raw, m)
		}
	}
}

func agentSocket(s *stage) {
	stale := s.world.AgentSocket()
	s.must(os.MkdirAll(filepath.Dir(stale), 0o700))
	l, err := net.Listen("unix", stale)
	s.must(err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	s.must(l.Close())
	g, a := s.gateway() // it has checked the ready line
	s.shows("Startup Sequence", "The ready line has the path of the socket")
	s.shows("Error Handling", "A stale socket is removed at the start")
	info, err := os.Stat(filepath.Dir(g.Path))
	s.must(err)
	if info.Mode().Perm() != 0o700 {
		s.Errorf("the directory is %v", info.Mode())
	}
	s.shows("IPC: Unix Domain Sockets", "The server listens on a Unix domain socket")

	s.must(a.Send("nonsense"))
	if refused := a.wait("error"); refused.Text("error") != "Invalid message: not JSON" {
		s.Errorf("answered %s", refused.Raw)
	}
	s.shows("Error Handling", "An invalid message is answered with error and the connection stays")

	a.send("start_session", "s1", object{"cwd": s.world.Project, "prompt": "echo:hello\nrun:touch made.txt"})
	a.wait("session_status started")
	a.wait("session_status processing")
	system := a.wait("system")
	a.has(system, "subtype", "claudeSessionId", "cwd")
	a.has(a.wait("stream_delta"), "uuid", "delta")
	a.has(a.wait("assistant_text"), "uuid", "text")
	a.has(a.wait("tool_use"), "uuid", "toolName", "toolInput", "toolUseId")
	asked := a.wait("permission_request")
	a.has(asked, "requestId", "toolName", "toolInput", "toolUseId")

	// Another session over the same connection, while the first one waits.
	a.send("start_session", "s2", object{"cwd": s.world.Project, "prompt": "ask"})
	question := a.wait("question")
	if question.Text("sessionId") != "s2" {
		s.Errorf("question %s", question.Raw)
	}
	answers := object{}
	for _, q := range question.Of["questions"].([]any) {
		one := q.(map[string]any)
		answers[one["question"].(string)] = one["options"].([]any)[0].(map[string]any)["label"]
	}
	a.send("question_response", "s2", object{"requestId": question.Of["requestId"], "answers": answers})
	if told := a.wait("tool_result"); told.Text("sessionId") != "s2" {
		s.Errorf("result %s", told.Raw)
	}
	a.wait("session_status idle")
	s.shows("Session Multiplexing", "Several sessions over one connection")
	s.shows("AskUserQuestion Flow", "question, then question_response with answers")
	if _, err := os.Stat(filepath.Join(s.world.Project, "made.txt")); err == nil {
		s.Errorf("the tool ran before it was allowed")
	}
	a.send("permission_response", "s1", object{"requestId": asked.Of["requestId"], "behavior": "allow"})
	a.has(a.wait("tool_result"), "uuid", "toolUseId", "output")
	result := a.wait("result")
	a.has(result, "subtype", "isError", "result", "totalCostUsd", "durationMs", "numTurns")
	a.wait("session_status idle")
	s.shows("Permission Bridging", "The tool waits until the request is answered", "requestId correlates requests and answers")
	s.shows("IPC: Unix Domain Sockets", "Full duplex over one connection")
	s.shows("Wire Protocol: NDJSON", "One JSON object on a line, ended by LF", "sessionId and type begin each line")

	a.send("send_prompt", "s1", object{"prompt": "error:500"})
	if again := a.wait("system"); again.Text("claudeSessionId") != system.Text("claudeSessionId") {
		s.Errorf("another conversation: %s", again.Raw)
	}
	a.has(a.wait("error"), "error")
	a.wait("session_status idle")
	s.shows("Error Handling", "Errors of the agent are forwarded as error")
	a.send("send_prompt", "s1", object{"prompt": "gate:never"})
	a.wait("system")
	a.send("interrupt", "s1", nil)
	if cut := a.wait("result"); cut.Text("subtype") != "error_during_execution" {
		s.Errorf("interrupted: %s", cut.Raw)
	}
	a.wait("session_status idle")
	a.send("close_session", "s1", nil)
	a.wait("session_status closed")
	s.shows("Multi-turn Conversations", "system has the claudeSessionId", "send_prompt goes on with the conversation")

	a.send("resume_session", "s3", object{"claudeSessionId": system.Of["claudeSessionId"], "cwd": s.world.Project, "prompt": "echo:resumed"})
	if again := a.wait("system"); again.Text("claudeSessionId") != system.Text("claudeSessionId") || again.Text("sessionId") != "s3" {
		s.Errorf("another conversation: %s", again.Raw)
	}
	a.wait("session_status idle")
	s.shows("Multi-turn Conversations", "resume_session goes on with a conversation by its claudeSessionId")
	s.shows("Inbound (Desktop App to agent-cli)", "start_session", "send_prompt", "resume_session", "permission_response", "question_response", "interrupt", "close_session")
	s.shows("Outbound (agent-cli to Desktop App)", "system", "assistant_text", "tool_use", "tool_result", "permission_request", "question", "stream_delta",
		"result", "error", "session_status started", "session_status processing", "session_status idle", "session_status closed")
}

func agentSocketLeft(s *stage) {
	_, a := s.gateway()
	a.send("start_session", "s1", object{"cwd": s.world.Project, "prompt": "run:touch made.txt"})
	id := a.wait("system").Text("claudeSessionId")
	a.wait("permission_request")
	a.Conn.Close()
	c := s.converse("b", &pb.StartConversation{SessionId: id})
	told, _, err := c.Wait(0, func(e kit.Event) bool { return e.GetPermissionResolved() != nil })
	s.must(err)
	if told.GetPermissionResolved().GetDecision() != pb.PermissionDecision_DENY_WITH_INTERRUPT {
		s.Errorf("resolved %v", told)
	}
	_, _, err = c.Wait(0, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	s.must(err)
	s.shows("Error Handling", "A disconnection denies pending requests with Session closed", "A disconnection cleans sessions up")
}
