package fleetmcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// daemon is a SubagentServiceClient that does only what a test configures.
type daemon struct {
	pb.SubagentServiceClient
	list   func() ([]*pb.SubagentInfo, error)
	spawns chan *pb.SpawnSubagentRequest
	plans  []*pb.CreateOrchestrationRequest
	looks  int // at a plan
	lost   int // answers to requests that do not arrive
}

func (d *daemon) ListSubagents(context.Context, *pb.ListSubagentsRequest, ...grpc.CallOption) (*pb.ListSubagentsResponse, error) {
	if d.list == nil {
		return &pb.ListSubagentsResponse{}, nil
	}
	all, err := d.list()
	return &pb.ListSubagentsResponse{Subagents: all}, err
}

func (d *daemon) SpawnSubagent(_ context.Context, r *pb.SpawnSubagentRequest, _ ...grpc.CallOption) (*pb.SpawnSubagentResponse, error) {
	d.spawns <- r
	if d.lost > 0 {
		d.lost--
		return nil, status.Error(codes.Unavailable, "the daemon was killed")
	}
	return &pb.SpawnSubagentResponse{SubagentId: r.GetSubagentId()}, nil
}

// agent speaks MCP with a server as Claude Code does.
type agent struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func begin(t *testing.T, d *daemon) *agent {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- New(d, "a.1.b").Run(context.Background(), "test", inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		if err := <-done; err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	a := &agent{t, inW, bufio.NewReader(outR)}
	a.say(`{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.330"},"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}}}}`)
	a.answer()
	a.say(`{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"claude-code","version":"2.1.330"}},"jsonrpc":"2.0","id":0}`)
	a.answer()
	a.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *agent) say(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// answer returns the next line of the server.
func (a *agent) answer() map[string]any {
	a.t.Helper()
	line, err := a.out.ReadString('\n')
	if err != nil {
		a.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		a.t.Fatal(err)
	}
	return m
}

// call returns the text that a tool answers, and whether that is an error.
func (a *agent) call(tool, arguments, id string) (string, bool) {
	a.t.Helper()
	a.say(`{"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,"_meta":{"claudecode/toolUseId":"` + id + `","progressToken":2}},"jsonrpc":"2.0","id":2}`)
	m := a.answer()
	result, ok := m["result"].(map[string]any)
	if !ok {
		a.t.Fatalf("%s: %v", tool, m)
	}
	content, _ := result["content"].([]any)
	first, _ := content[0].(map[string]any)
	text, _ := first["text"].(string)
	failed, _ := result["isError"].(bool)
	return text, failed
}

func TestSchemas(t *testing.T) {
	a := begin(t, &daemon{})
	a.say(`{"method":"tools/list","jsonrpc":"2.0","id":1}`)
	text, _ := json.Marshal(a.answer())
	for _, want := range []string{`"spawn_subagent"`, `"required":["prompt"]`, `"maximum":300`, `"maxItems":50`, `"additionalProperties":false`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, never := range []string{"auto_approve", "inherit", `"env"`, "unfenced"} {
		if strings.Contains(string(text), never) {
			t.Errorf("an agent may ask for %s", never)
		}
	}
}

func TestASpawnIsRepeatedUnderItsId(t *testing.T) {
	d := &daemon{spawns: make(chan *pb.SpawnSubagentRequest, 9), lost: 2}
	a := begin(t, d)
	first, failed := a.call("spawn_subagent", `{"prompt":"x"}`, "toolu_1")
	if failed {
		t.Fatal(first)
	}
	again, _ := a.call("spawn_subagent", `{"prompt":"x"}`, "toolu_1")
	other, _ := a.call("spawn_subagent", `{"prompt":"x"}`, "toolu_2")
	if first != again || first == other {
		t.Errorf("%s, %s, %s", first, again, other)
	}
	if r := <-d.spawns; !strings.Contains(first, r.GetSubagentId()) || r.GetParentSessionId() != "" || (<-d.spawns).GetSubagentId() != r.GetSubagentId() {
		t.Errorf("%v", r)
	}
}

func TestWaitsReportWhatStillRuns(t *testing.T) {
	const a1, a2 = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	began := time.Now()
	a := begin(t, &daemon{list: func() ([]*pb.SubagentInfo, error) {
		second := pb.SubagentStatus_SUBAGENT_STATUS_RUNNING
		if time.Since(began) > 300*time.Millisecond {
			second = pb.SubagentStatus_SUBAGENT_STATUS_FAILED
		}
		return []*pb.SubagentInfo{
			{Id: a1, Status: pb.SubagentStatus_SUBAGENT_STATUS_COMPLETED, ResultSummary: strings.Repeat("x", 100<<10)},
			{Id: a2, Status: second, ResultSummary: "why"},
		}, nil
	}})
	text, failed := a.call("wait_for_subagent", `{"subagent_ids":["`+a1+`","`+a2+`"],"any":true}`, "1")
	if failed || !strings.Contains(text, `"status":"completed"`) || len(text) > maxAnswer {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
	text, failed = a.call("wait_for_subagent", `{"subagent_ids":["`+a2+`"]}`, "2")
	if failed || !strings.Contains(text, `"status":"failed"`) || !strings.Contains(text, `"text_written_by_subagent":"why"`) {
		t.Error(text)
	}
	if text, failed = a.call("wait_for_subagent", `{"subagent_ids":["other"]}`, "3"); !failed || !strings.Contains(text, "SUBAGENT_NOT_FOUND") {
		t.Error(text)
	}
	if text, failed = a.call("wait_for_subagent", `{"subagent_ids":[]}`, "4"); !failed {
		t.Error(text)
	}
}

func (d *daemon) CreateOrchestration(_ context.Context, r *pb.CreateOrchestrationRequest, _ ...grpc.CallOption) (*pb.CreateOrchestrationResponse, error) {
	d.plans = append(d.plans, r)
	if d.lost > 0 {
		d.lost--
		return nil, status.Error(codes.Unavailable, "the daemon was killed")
	}
	return &pb.CreateOrchestrationResponse{OrchestrationId: r.GetOrchestrationId()}, nil
}

func (d *daemon) GetOrchestration(_ context.Context, r *pb.GetOrchestrationRequest, _ ...grpc.CallOption) (*pb.OrchestrationInfo, error) {
	d.looks++
	state := pb.OrchestrationState_ORCHESTRATION_STATE_RUNNING
	if d.looks > 2 {
		state = pb.OrchestrationState_ORCHESTRATION_STATE_COMPLETED
	}
	return &pb.OrchestrationInfo{Id: r.GetOrchestrationId(), State: state, Steps: []*pb.OrchestrationStepInfo{
		{Id: "a", Status: pb.StepStatus_STEP_STATUS_COMPLETED, ResultSummary: strings.Repeat("x", 100<<10)},
		{Id: "m", Status: pb.StepStatus_STEP_STATUS_FAILED, ErrorMessage: "conflicts", Conflicts: []string{"README"}},
	}}, nil
}

// A plan is submitted once, however often the daemon dies meanwhile, and waited for.
func TestPlans(t *testing.T) {
	d := &daemon{lost: 1}
	a := begin(t, d)
	const plan = `{"name":"n","on_failure":"stop_all","steps":[{"id":"a","prompt":"p","branch":"a","attempts":2},{"id":"m","depends_on":["a"],"merge":{"into":"main"}}]}`
	text, failed := a.call("submit_plan", plan, "toolu_1")
	if failed || len(d.plans) != 2 || d.plans[0].GetOrchestrationId() != d.plans[1].GetOrchestrationId() || !strings.Contains(text, d.plans[0].GetOrchestrationId()) {
		t.Fatalf("%s %v", text, d.plans)
	}
	if got := d.plans[0]; got.GetParentSessionId() != "" || got.GetOnFailure() != pb.FailurePolicy_FAILURE_POLICY_STOP_ALL || got.GetSteps()[0].GetBranch() != "a" ||
		got.GetSteps()[0].GetRetry().GetMaxAttempts() != 2 || got.GetSteps()[1].GetMerge().GetInto() != "main" {
		t.Errorf("%v", got)
	}
	text, failed = a.call("wait_for_plan", `{"plan_id":"`+d.plans[0].GetOrchestrationId()+`"}`, "toolu_2")
	if failed || !strings.Contains(text, `"state":"completed"`) || !strings.Contains(text, `"conflicts":["README"]`) || len(text) > maxAnswer {
		t.Errorf("%.400s", text)
	}
	for _, bad := range []string{
		`{"steps":[]}`, `{"steps":[{"id":"a","prompt":"p","auto_approve":true}]}`, `{"parent_session_id":"x","steps":[{"id":"a","prompt":"p"}]}`, `{"strategy":"random","steps":[{"id":"a"}]}`,
	} {
		if text, failed := a.call("submit_plan", bad, "toolu_3"); !failed {
			t.Errorf("%s: %s", bad, text)
		}
	}
	if len(d.plans) != 2 {
		t.Errorf("%d plans", len(d.plans))
	}
}

func TestARefusedTicketEndsTheServer(t *testing.T) {
	d := &daemon{list: func() ([]*pb.SubagentInfo, error) {
		return nil, status.Error(codes.PermissionDenied, "the ticket belongs to another process")
	}}
	err := New(d, "a.1.b").Run(context.Background(), "test", io.NopCloser(strings.NewReader("")), nil)
	if status.Code(err) != codes.PermissionDenied {
		t.Fatal(err)
	}
}
