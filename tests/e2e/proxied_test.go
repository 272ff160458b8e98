package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Lines of an agent as a proxy of the first generation forwards them: members sorted, and most of them dropped.

func proxiedInit() string {
	return `{"cwd":"/on/another/machine","model":"opus","session_id":"6f1c2a34-0000-4000-8000-000000000001","subtype":"init","tools":["Bash"],"type":"system"}`
}

func proxiedEcho(text string) string {
	return `{"message":{"content":[{"text":` + quoted(text) + `,"type":"text"}],"role":"user"},"session_id":"6f1c2a34-0000-4000-8000-000000000001","type":"user"}`
}

func proxiedText(message, text string) string {
	return `{"message":{"content":[{"text":` + quoted(text) + `,"type":"text"}],"id":` + quoted(message) + `,"model":"opus","role":"assistant","type":"message"},"session_id":"6f1c2a34-0000-4000-8000-000000000001","type":"assistant"}`
}

func proxiedResult() string {
	return `{"duration_ms":12,"is_error":false,"num_turns":1,"result":"done","session_id":"6f1c2a34-0000-4000-8000-000000000001","subtype":"success","total_cost_usd":0.01,"type":"result","usage":{"input_tokens":3,"output_tokens":5}}`
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can be encoded
	}
	return string(b)
}

// register connects a proxy.
func (s *story) register(p *kit.ScriptedProxy) *kit.ProxyCall {
	s.Helper()
	call, err := p.Connect(s.Context(), s.daemon)
	if err != nil {
		s.Fatal(err)
	}
	return call
}

// acknowledged waits until the daemon has acknowledged every line of a proxy.
func (s *story) acknowledged(p *kit.ScriptedProxy) {
	s.Helper()
	for deadline := time.Now().Add(patience); p.Pending() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("%d lines were not acknowledged", p.Pending())
		}
	}
}

// awaitInput waits for an input of the proxy and returns it.
func (s *story) awaitInput(c *kit.ProxyCall, text string) *pb.ProxyInput {
	s.Helper()
	e, err := c.Wait(func(e *pb.ProxyEvent) bool { return e.GetInput().GetContent() == text })
	if err != nil {
		s.Fatal(err)
	}
	return e.GetInput()
}

// A proxied session takes the output of its agent and gives it messages, decisions, answers and interrupts.
func TestProxiedSession(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	p := kit.NewScriptedProxy(session())
	call := s.register(p)
	c := s.converse("ann", p.Register.GetSessionId())

	key := s.say(c, "build it")
	if in := s.awaitInput(call, "build it"); in.GetSeq() != 1 || in.GetIdempotencyKey() != key {
		t.Errorf("the input is %v", in)
	}
	if err := call.TakeInput(1, true); err != nil {
		t.Fatal(err)
	}
	p.Output(proxiedInit())
	p.Output(proxiedEcho("build it"))
	p.Output(proxiedText("m1", "on it"))
	s.acknowledged(p)

	if err := call.Ask("req-1", "Bash", `{"command":"make"}`); err != nil {
		t.Fatal(err)
	}
	s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionRequest().GetRequestId() == "req-1" })
	if err := c.Answer("req-1", pb.PermissionDecision_ALLOW_ONCE, ""); err != nil {
		t.Fatal(err)
	}
	decided, err := call.Wait(func(e *pb.ProxyEvent) bool { return e.GetDecision().GetRequestId() == "req-1" })
	if err != nil {
		t.Fatal(err)
	}
	if d := decided.GetDecision(); !d.GetAllow() || string(d.GetInput()) != `{"command":"make"}` {
		t.Errorf("the decision is %v", d)
	}
	if err := call.TakeDecision("req-1"); err != nil {
		t.Fatal(err)
	}

	question := `{"questions":[{"question":"Which one?","header":"Choice","options":[{"label":"left"},{"label":"right"}],"multiSelect":false}]}`
	if err := call.Ask("req-2", "AskUserQuestion", question); err != nil {
		t.Fatal(err)
	}
	asked, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetUserQuestion() != nil })
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
		QuestionId: asked.GetUserQuestion().GetQuestionId(), Answers: map[string]string{"Which one?": "left"},
	}}}); err != nil {
		t.Fatal(err)
	}
	answered, err := call.Wait(func(e *pb.ProxyEvent) bool { return e.GetDecision().GetRequestId() == "req-2" })
	if err != nil {
		t.Fatal(err)
	}
	var input struct{ Answers map[string]string }
	if err := json.Unmarshal(answered.GetDecision().GetInput(), &input); err != nil || input.Answers["Which one?"] != "left" {
		t.Errorf("the answer is %v: %v", answered, err)
	}

	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Wait(func(e *pb.ProxyEvent) bool { return e.GetInterrupt() != nil }); err != nil {
		t.Fatal(err)
	}
	p.Output(proxiedResult())
	s.acknowledged(p)
	_, next := s.wait(c, 0, kit.IsTurnComplete)
	s.wait(c, next, kit.IsIdle)
	if text := kit.Text(c.Events()); !strings.Contains(text, "on it") || strings.Contains(text, "build it") {
		t.Errorf("the text is %q", text)
	}

	shown, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: p.Register.GetSessionId()})
	if err != nil {
		t.Fatal(err)
	}
	if proxy := shown.GetSummary().GetProxied(); !proxy.GetConnected() || proxy.GetHostname() != "elsewhere" || proxy.GetGitBranch() != "main" {
		t.Errorf("the session shows %v", proxy)
	}
	if n := len(shown.GetInputs()); n != 0 {
		t.Errorf("%d inputs wait", n)
	}
	if _, err := s.daemon.Admin().RestartSession(t.Context(), &pb.RestartSessionRequest{SessionId: p.Register.GetSessionId()}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("restart: %v", err)
	}

	// A stop is final: the proxy gets the end, and cannot register the session again.
	if _, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: p.Register.GetSessionId()}); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Wait(func(e *pb.ProxyEvent) bool { return e.GetTerminate() != nil }); err != nil {
		t.Fatal(err)
	}
	if err := call.WaitEnd(); err != nil {
		t.Errorf("the call ended with %v", err)
	}
	again := s.register(p)
	if _, err := again.Wait(func(e *pb.ProxyEvent) bool { return e.GetTerminate() != nil }); err != nil {
		t.Fatal(err)
	}
}

// Every line is taken once and every message arrives once, although the daemon is killed again and again.
func TestProxiedSessionIsKilled(t *testing.T) {
	t.Parallel()
	const rounds, lines = 5, 40
	s := newStory(t, binaries.fake)
	p := kit.NewScriptedProxy(session())
	p.Register.Abilities.AcknowledgesFromAgent = false
	got := map[uint64]string{}
	for round := range rounds {
		call := s.register(p)
		c := s.converse("ann", p.Register.GetSessionId())
		text := fmt.Sprintf("prompt %d", round)
		s.say(c, text)
		in := s.awaitInput(call, text)
		if before, known := got[in.GetSeq()]; known {
			t.Errorf("input %d is %q and %q", in.GetSeq(), before, text)
		}
		got[in.GetSeq()] = text
		if err := call.TakeInput(in.GetSeq(), false); err != nil {
			t.Fatal(err)
		}
		p.Output(proxiedInit())
		p.Output(proxiedEcho(text))
		for n := range lines {
			p.Output(proxiedText(fmt.Sprintf("m%d-%d", round, n), fmt.Sprintf("<%d/%d>", round, n)))
		}
		p.Output(proxiedResult())
		if round%2 == 0 {
			s.wait(c, 0, func(e kit.Event) bool {
				return strings.Contains(e.GetTextDelta().GetText(), fmt.Sprintf("<%d/%d>", round, lines/2))
			})
		}
		c.Close()
		s.killDaemon()
	}
	s.register(p)
	s.acknowledged(p)
	c := s.converse("ann", p.Register.GetSessionId())
	s.wait(c, 0, func(e kit.Event) bool {
		return strings.Contains(e.GetTextDelta().GetText(), fmt.Sprintf("<%d/%d>", rounds-1, lines-1))
	})
	text := kit.Text(c.Events())
	for round := range rounds {
		for n := range lines {
			if found := strings.Count(text, fmt.Sprintf("<%d/%d>", round, n)); found != 1 {
				t.Errorf("line %d of round %d is there %d times", n, round, found)
			}
		}
	}
	if len(got) != rounds {
		t.Errorf("the proxy got %v", got)
	}
}

// A second connection for a session ends the first.
func TestProxyConnectsTwice(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	p := kit.NewScriptedProxy(session())
	first := s.register(p)
	second := s.register(p)
	if err := first.WaitEnd(); status.Code(err) != codes.Aborted {
		t.Errorf("the first call ended with %v", err)
	}
	p.Output(proxiedInit())
	s.acknowledged(p)
	if err := second.HalfClose(); err != nil {
		t.Fatal(err)
	}
	if err := second.WaitEnd(); err != nil {
		t.Errorf("the second call ended with %v", err)
	}
}

// A line of 20 MB gets through.
func TestProxiedLineOfTwentyMegabytes(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	p := kit.NewScriptedProxy(session())
	s.register(p)
	line := proxiedText("m1", strings.Repeat("x", 20<<20-1000))
	p.Output(line)
	p.Output(proxiedText("m2", "behind"))
	s.acknowledged(p)
	c := s.converse("ann", p.Register.GetSessionId())
	s.wait(c, 0, func(e kit.Event) bool { return e.GetTextDelta().GetText() == "behind" })
}

// A proxied session is in lists, replays, exports and compactions as any other, and what needs an agent of the daemon's own is refused.
func TestProxiedSessionIsOrdinary(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	p := kit.NewScriptedProxy(session())
	id := p.Register.GetSessionId()
	s.register(p)
	for n := range 3 {
		p.Output(proxiedInit())
		p.Output(proxiedText(fmt.Sprintf("m%d", n), fmt.Sprintf("<%d>", n)))
		p.Output(proxiedResult())
	}
	s.acknowledged(p)
	admin, agents := s.daemon.Admin(), s.daemon.Agents()
	list, err := agents.ListSessions(t.Context(), &pb.ListSessionsRequest{})
	if err != nil || len(list.GetSessions()) != 1 || !list.GetSessions()[0].GetProxied().GetConnected() || list.GetSessions()[0].GetTotalCostUsd() == 0 {
		t.Errorf("the list is %v: %v", list, err)
	}
	if _, err := agents.RenameSession(t.Context(), &pb.RenameSessionRequest{SessionId: id, Name: "afar"}); err != nil {
		t.Error(err)
	}
	if _, err := admin.ForkSession(t.Context(), &pb.ForkSessionRequest{SessionId: id}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("fork: %v", err)
	}
	if _, err := admin.ContinueSession(t.Context(), &pb.ContinueSessionRequest{SessionId: id}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("resume: %v", err)
	}
	raw, err := admin.RawOutput(t.Context(), &pb.RawOutputRequest{SessionId: id})
	if err == nil {
		_, err = raw.Recv()
	}
	if status.Code(err) != codes.NotFound {
		t.Errorf("raw output: %v", err)
	}

	c := s.converse("ann", id)
	isLast := func(e kit.Event) bool { return e.GetTextDelta().GetText() == "<2>" }
	_, next := s.wait(c, 0, isLast)
	s.wait(c, next, kit.IsIdle)
	before, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	s.killDaemon()
	c = s.converse("ann", id)
	_, next = s.wait(c, 0, isLast)
	s.wait(c, next, kit.IsIdle)
	after, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := kit.Same(before, after[:len(before)]); err != nil {
		t.Error(err)
	}
	admin, agents = s.daemon.Admin(), s.daemon.Agents()
	shown, err := admin.ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || shown.GetSummary().GetProxied().GetConnected() || shown.GetSummary().GetName() != "afar" {
		t.Errorf("behind the kill it shows %v: %v", shown, err)
	}
	compacted, err := agents.CompactSession(t.Context(), &pb.CompactSessionRequest{SessionId: id})
	if err != nil || !compacted.GetDone() {
		t.Errorf("compaction: %v, %v", compacted, err)
	}
	export, err := admin.ExportSession(t.Context(), &pb.ExportSessionRequest{SessionId: id})
	if err != nil {
		t.Fatal(err)
	}
	exported := 0
	for {
		e, err := export.Recv()
		if err != nil {
			break
		}
		if e.GetTextDelta() != nil {
			exported++
		}
	}
	if exported < 3 {
		t.Errorf("%d texts are exported", exported)
	}

	call := s.register(p)
	if _, err := agents.DeleteSession(t.Context(), &pb.DeleteSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if err := call.WaitEnd(); err != nil {
		t.Errorf("the call of a deleted session ended with %v", err)
	}
	if _, err := p.Connect(t.Context(), s.daemon); status.Code(err) != codes.NotFound {
		t.Errorf("a deleted session is registered: %v", err)
	}
}

// The directory of a proxied session is on another machine: a subagent needs one of this machine. It takes no other thing of the
// session that would lead there.
func TestSubagentOfProxiedSession(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	p := kit.NewScriptedProxy(session())
	s.register(p)
	p.Output(proxiedInit())
	s.acknowledged(p)
	request := &pb.SpawnSubagentRequest{ParentSessionId: p.Register.GetSessionId(), Prompt: "echo:here"}
	_, err := s.api().SpawnSubagent(s.Context(), request)
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "runs under a proxy") {
		t.Errorf("a subagent without a directory: %v", err)
	}
	request.WorkingDirectory = s.world.Project
	spawned, err := s.api().SpawnSubagent(s.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	c := s.converse("ann", spawned.GetSessionId())
	s.wait(c, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "here") })
	shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: spawned.GetSessionId()})
	if err != nil {
		t.Fatal(err)
	}
	if got := shown.GetSummary(); got.GetWorkingDirectory() != s.world.Project || got.GetProxied() != nil {
		t.Errorf("the subagent's session is %v", got)
	}
}
