package translate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The translation of admin.proto, in its order.

// TreeOut translates an actor and those below it, sorted by name.
func TreeOut(n messages.TreeNode) *pb.TreeNode {
	out := &pb.TreeNode{
		Name:          n.Name,
		Kind:          n.Kind,
		State:         n.State,
		Restarts:      Saturate(uint64(max(n.Restarts, 0))),
		BackoffMsLeft: n.Backoff.Milliseconds(),
		LastError:     strings.ToValidUTF8(n.LastError, "?"),
		Mailbox:       Saturate(uint64(max(n.Mailbox, 0))),
		StartedAt:     TimeOut(n.StartedAt),
		Details:       n.Details,
	}
	for _, child := range n.Children {
		out.Children = append(out.Children, TreeOut(child))
	}
	slices.SortStableFunc(out.Children, func(a, b *pb.TreeNode) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out
}

// PendingOut translates an undecided request of a session.
func PendingOut(r messages.PermissionRecord, of messages.SessionRecord) *pb.PendingPermission {
	out := &pb.PendingPermission{
		SessionId:   string(r.Session),
		RequestId:   string(r.Request),
		ToolName:    r.Tool,
		Description: strings.ToValidUTF8(r.Description, "?"),
		Input:       StructOut(r.Input),
		ReceivedAt:  TimeOut(r.ReceivedAt),
		ExpiresAt:   TimeOut(r.ExpiresAt),
		Question:    r.Question,
		Questions:   questionsOut(r),
		SessionName: of.Label(),
	}
	if child := of.Subagent; child != nil {
		out.ParentSessionId, out.Forwarded = string(child.Parent), child.Forward
	}
	return out
}

// questionsOut returns the questions in the input of an AskUserQuestion, with their ids as
// events: "<request>/<n>", n from 0.
func questionsOut(r messages.PermissionRecord) []*pb.UserQuestion {
	if !r.Question {
		return nil
	}
	var input struct {
		Questions []struct {
			Question string `json:"question"`
			Options  []struct {
				Label       string `json:"label"`
				Description string `json:"description"`
			} `json:"options"`
			MultiSelect bool `json:"multiSelect"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(r.Input, &input); err != nil {
		return nil // the input is shown too
	}
	out := make([]*pb.UserQuestion, 0, len(input.Questions))
	for i, q := range input.Questions {
		id := fmt.Sprintf("%s/%d", r.Request, i)
		question := &pb.UserQuestion{QuestionId: id, Question: q.Question, MultiSelect: q.MultiSelect}
		for _, o := range q.Options {
			question.Options = append(question.Options, &pb.QuestionOption{Value: o.Label, Label: o.Label, Description: o.Description})
		}
		out = append(out, question)
	}
	return out
}

// ExplainIn translates a tool call to be explained. Without a directory the session's is used.
func ExplainIn(m *pb.ExplainPermissionRequest) (out messages.ExplainPermission, err error) {
	const op = "explain permission"
	if m.GetToolName() == "" {
		return out, wire.Invalid(op, "Give tool_name, for example Bash, Edit or WebFetch.", "tool_name is empty")
	}
	if (m.GetInput() != nil) == (m.GetArgument() != "") {
		return out, wire.Invalid(op, "Give the command, path or address, or the tool's whole input.", "neither or both of argument and input are set")
	}
	if (m.GetWorkingDirectory() != "") == (m.GetSessionId() != "") {
		return out, wire.Invalid(op, "Name the session, or the directory.", "neither or both of session_id and working_directory are set")
	}
	out = messages.ExplainPermission{Tool: m.GetToolName(), Argument: m.GetArgument()}
	if m.GetInput() != nil {
		if out.Input, err = objectIn(op, "input", m.GetInput()); err != nil {
			return out, err
		}
	}
	if m.GetWorkingDirectory() != "" {
		out.WorkingDirectory, err = DirectoryIn(op, m.GetWorkingDirectory())
	}
	return out, err
}

// ExplainedOut translates an explanation. The agent's own rules need a session.
func ExplainedOut(e messages.PermissionExplained, session messages.SessionID) *pb.ExplainPermissionResponse {
	out := &pb.ExplainPermissionResponse{
		Effect: e.Effect, Rules: e.Rules, Why: e.Why,
		KnownRules: uint32(e.Known), Problems: e.Problems,
	}
	if a := e.Agent; session != "" {
		out.Agent = &pb.AgentDecision{
			Running: a.Running, PermissionMode: a.Mode, NextPermissionMode: a.NextMode, Effect: a.Effect, Why: a.Why, MissingRules: a.Missing,
		}
	}
	return out
}

// StartupOut translates how the daemon was started.
func StartupOut(s messages.Startup) *pb.GetStartupResponse {
	return &pb.GetStartupResponse{
		Arguments: bytesOf(s.Arguments), Environment: bytesOf(s.Environment),
		Directory: []byte(s.Directory), ErrorFile: []byte(s.ErrorFile),
	}
}

func bytesOf(all []string) [][]byte {
	out := make([][]byte, len(all))
	for i, s := range all {
		out[i] = []byte(s)
	}
	return out
}

// TestedOut translates a call that was tested against other rules.
func TestedOut(session messages.SessionID, c messages.TestedCall) *pb.TestRulesResponse {
	return &pb.TestRulesResponse{
		SessionId: string(session), Sequence: uint64(c.Seq), ToolName: c.Tool, Description: c.Description,
		Was: c.Was, ResolvedBy: c.By, Effect: c.Effect, Rules: c.Rules,
	}
}
