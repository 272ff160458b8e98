package e2e

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

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
