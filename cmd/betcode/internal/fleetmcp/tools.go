package fleetmcp

import (
	"context"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	pb "betcode/proto/betcode/v1"
)

// Bounds of inputs. The daemon checks what it stores; these refuse impossible values early.
const (
	maxPrompt   = 1 << 20 // characters
	maxWaited   = 50      // subagents in one call
	defaultWait = 2 * time.Minute
	maxWait     = 5 * time.Minute // an agent that writes nothing for longer may be taken for a hanging one
)

// addTools adds the tools to a server.
func (s *Server) addTools(server *mcp.Server) {
	add(server, "spawn_subagent", "Start a subagent with its first prompt. Answers at once with its id; wait_for_subagent has the result. "+
		"It survives this session, and asks people for permissions as this session does.", s.spawn)
	add(server, "list_subagents", "List the subagents of this session and theirs, newest first.", s.list)
	add(server, "wait_for_subagent", "Wait until subagents have ended, and get their results. After timeout_seconds the answer says which still run; call again.", s.wait)
	add(server, "watch_subagent", "Show what a subagent has said and which tools it called since a sequence number, and wait for more.", s.watch)
	add(server, "send_to_subagent", "Send a message to a subagent that has not ended.", s.send)
	add(server, "cancel_subagent", "End a subagent. Its work so far stays.", s.cancel)
	add(server, "submit_plan", "Start a plan of steps that are subagents. A step starts when those that it depends on have completed, with their results. "+
		"Answers at once with its id; wait_for_plan has the results. It survives this session.", s.submitPlan)
	add(server, "wait_for_plan", "Wait until a plan has ended, and get the results of its steps. After timeout_seconds the answer says how far it has come; call again.", s.waitForPlan)
	add(server, "cancel_plan", "Cancel a plan, or one of its steps. Work so far stays.", s.cancelPlan)
}

// add adds one tool. Its errors become errors of the tool, with the daemon's hint.
func add[In any](server *mcp.Server, name, description string, f func(context.Context, *mcp.CallToolRequest, In) (any, error)) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: description, InputSchema: schemaOf[In]()},
		func(ctx context.Context, r *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			out, err := f(ctx, r, in)
			if err != nil {
				return nil, nil, failure(err)
			}
			return answer(out)
		})
}

// schemaOf returns the schema of an input, with the bounds of its members.
func schemaOf[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic("schema of a tool: " + err.Error())
	}
	for name, p := range schema.Properties {
		bound(name, p)
	}
	return schema
}

// bound adds the bounds of a member, which has the same in every tool.
func bound(name string, p *jsonschema.Schema) {
	number := func(least, most float64) { p.Minimum, p.Maximum = jsonschema.Ptr(least), jsonschema.Ptr(most) }
	text := func(least, most int) { p.MinLength, p.MaxLength = jsonschema.Ptr(least), jsonschema.Ptr(most) }
	switch name {
	case "prompt", "message":
		text(1, maxPrompt)
	case "steps":
		p.MinItems, p.MaxItems = jsonschema.Ptr(1), jsonschema.Ptr(maxSteps)
	case "strategy":
		p.Enum = []any{"dag", "parallel", "sequential"}
	case "on_failure":
		p.Enum = []any{"fail_dependants", "continue", "stop_all"}
	case "plan_id":
		p.Format = "uuid"
	case "name":
		text(0, 100)
	case "reason":
		text(0, 1000)
	case "timeout_seconds":
		number(1, maxWait.Seconds())
	case "end_after_seconds":
		number(1, 604800)
	case "max_turns":
		number(1, 10000)
	case "budget_usd":
		number(0, 1e6)
	case "from_sequence":
		number(0, 1<<53)
	case "status":
		p.Enum = []any{"pending", "running", "completed", "failed", "cancelled"}
	case "subagent_id":
		p.Format = "uuid"
	case "subagent_ids":
		p.MinItems, p.MaxItems = jsonschema.Ptr(1), jsonschema.Ptr(maxWaited)
	}
}

// limit returns how long a call may wait.
func limit(seconds int) time.Duration {
	if seconds <= 0 {
		return defaultWait
	}
	return min(time.Duration(seconds)*time.Second, maxWait)
}

// spawnInput is what spawn_subagent takes.
type spawnInput struct {
	Prompt           string   `json:"prompt" jsonschema:"what the subagent is to do; it knows nothing else of this conversation"`
	Name             string   `json:"name,omitempty" jsonschema:"for people"`
	Model            string   `json:"model,omitempty" jsonschema:"default: that of this session"`
	WorkingDirectory string   `json:"working_directory,omitempty" jsonschema:"absolute path; default: that of this session"`
	WorktreeID       string   `json:"worktree_id,omitempty" jsonschema:"the worktree it works in, instead of working_directory"`
	AllowedTools     []string `json:"allowed_tools,omitempty" jsonschema:"the tools it has, as permission rules name them; default: all"`
	MaxTurns         int32    `json:"max_turns,omitempty" jsonschema:"requests to the model that one message may cause"`
	EndAfterSeconds  uint32   `json:"end_after_seconds,omitempty" jsonschema:"it is ended and fails after so long; default: never"`
	BudgetUSD        float64  `json:"budget_usd,omitempty" jsonschema:"what it may cost, in US dollars"`
}

func (s *Server) spawn(ctx context.Context, r *mcp.CallToolRequest, in spawnInput) (any, error) {
	request := &pb.SpawnSubagentRequest{
		SubagentId: s.callID(r, "spawn"), Prompt: in.Prompt, Name: in.Name, Model: in.Model, WorkingDirectory: in.WorkingDirectory,
		WorktreeId: in.WorktreeID, AllowedTools: in.AllowedTools, MaxTurns: in.MaxTurns, TimeoutSeconds: in.EndAfterSeconds, BudgetUsd: in.BudgetUSD,
		ForwardPermissions: true, // people watch the session of the agent that spawns
	}
	err := again(ctx, daemonPatience, func(ctx context.Context) error {
		_, err := s.subagents.SpawnSubagent(ctx, request)
		return err
	})
	return map[string]string{"subagent_id": request.GetSubagentId(), "status": "pending"}, err
}

// sendInput is what send_to_subagent takes.
type sendInput struct {
	Subagent string `json:"subagent_id" jsonschema:"as spawn_subagent returned it"`
	Message  string `json:"message" jsonschema:"the message"`
}

func (s *Server) send(ctx context.Context, r *mcp.CallToolRequest, in sendInput) (any, error) {
	request := &pb.SendToSubagentRequest{SubagentId: in.Subagent, Content: in.Message, IdempotencyKey: s.callID(r, "send")}
	err := again(ctx, daemonPatience, func(ctx context.Context) error {
		_, err := s.subagents.SendToSubagent(ctx, request)
		return err
	})
	return map[string]any{"subagent_id": in.Subagent, "delivered": true}, err
}

// cancelInput is what cancel_subagent takes.
type cancelInput struct {
	Subagent string `json:"subagent_id" jsonschema:"as spawn_subagent returned it"`
	Reason   string `json:"reason,omitempty" jsonschema:"for people"`
}

func (s *Server) cancel(ctx context.Context, _ *mcp.CallToolRequest, in cancelInput) (any, error) {
	var got *pb.CancelSubagentResponse
	err := again(ctx, daemonPatience, func(ctx context.Context) (err error) {
		got, err = s.subagents.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: in.Subagent, Reason: in.Reason})
		return err
	})
	return map[string]any{"subagent_id": in.Subagent, "cancelled": got.GetCancelled(), "status": got.GetFinalStatus()}, err
}
