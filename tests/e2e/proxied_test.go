package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

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
