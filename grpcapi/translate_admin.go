package grpcapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The translation of admin.proto, in its order.

func treeOut(n messages.TreeNode) *pb.TreeNode {
	out := &pb.TreeNode{
		Name:          n.Name,
		Kind:          n.Kind,
		State:         n.State,
		Restarts:      saturate(uint64(max(n.Restarts, 0))),
		BackoffMsLeft: n.Backoff.Milliseconds(),
		LastError:     strings.ToValidUTF8(n.LastError, "?"),
		Mailbox:       saturate(uint64(max(n.Mailbox, 0))),
		StartedAt:     timeOut(n.StartedAt),
		Details:       n.Details,
	}
	for _, child := range n.Children {
		out.Children = append(out.Children, treeOut(child))
	}
	slices.SortStableFunc(out.Children, func(a, b *pb.TreeNode) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out
}

func pendingOut(r messages.PermissionRecord, sessionName string) *pb.PendingPermission {
	return &pb.PendingPermission{
		SessionId:   string(r.Session),
		RequestId:   string(r.Request),
		ToolName:    r.Tool,
		Description: strings.ToValidUTF8(r.Description, "?"),
		Input:       structOut(r.Input),
		ReceivedAt:  timeOut(r.ReceivedAt),
		ExpiresAt:   timeOut(r.ExpiresAt),
		Question:    r.Question,
		Questions:   questionsOut(r),
		SessionName: sessionName,
	}
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

// adminAnswerIn translates an answer given outside a stream. The handler resolves session and
// request: both may be named by the beginning of their ids.
func adminAnswerIn(m *pb.AnswerPermissionRequest, client messages.ClientID) (messages.AnswerPermission, error) {
	const op = "answer permission"
	request, err := requestIn(op, "request_id", m.GetRequestId())
	if err != nil {
		return messages.AnswerPermission{}, err
	}
	out := messages.AnswerPermission{Client: client, Request: request, Message: m.GetMessage(), Suggestions: m.GetApplySuggestions()}
	if len(m.GetAnswers()) > 0 {
		if m.GetDecision() != pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED && m.GetDecision() != pb.PermissionDecision_ALLOW_ONCE {
			return out, wire.Invalid(op, "Leave one of them out.", "answers and a decision contradict each other")
		}
		out.Decision, out.Answers = messages.DecisionAnswered, m.GetAnswers()
		return out, answersIn(op, out.Answers)
	}
	if out.Decision, err = decisionIn(op, m.GetDecision()); err != nil {
		return out, err
	}
	if out.Updated, err = updatedIn(op, out.Decision, m.GetUpdatedInput()); err != nil {
		return out, err
	}
	return out, cmp.Or(denialIn(op, out.Message), suggestionsIn(op, out.Suggestions))
}

// answeredOut translates the decision after an answer.
func answeredOut(m messages.PermissionAnswered) *pb.AnswerPermissionResponse {
	out := &pb.AnswerPermissionResponse{Applied: m.Applied, ResolvedBy: m.By, Reason: "client", DecidedAt: timeOut(m.At)}
	switch m.Decision {
	case messages.DecisionWithdrawn:
		out.Reason = "withdrawn"
	case messages.DecisionExpired:
		out.Decision, out.Reason = pb.PermissionDecision_DENY, "expired"
	case messages.DecisionAnswered:
		out.Decision = pb.PermissionDecision_ALLOW_ONCE
	default:
		out.Decision = pb.PermissionDecision(m.Decision)
		if m.By == "rule" || m.By == "grant" {
			out.Reason = m.By
		}
	}
	return out
}

// explainIn translates a tool call to be explained. Without a directory the session's is used.
func explainIn(m *pb.ExplainPermissionRequest) (out messages.ExplainPermission, err error) {
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
		out.WorkingDirectory, err = directoryIn(op, m.GetWorkingDirectory())
	}
	return out, err
}

// explainedOut translates an explanation. The agent's own rules need a session.
func explainedOut(e messages.PermissionExplained, session messages.SessionID) *pb.ExplainPermissionResponse {
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

// SessionOut translates a session. It is exported for the command line, which reads a journal
// itself when no daemon has it open.
func SessionOut(v messages.SessionView) *pb.ShowSessionResponse { return viewOut(v, time.Now()) }

func viewOut(v messages.SessionView, now time.Time) *pb.ShowSessionResponse {
	out := &pb.ShowSessionResponse{
		Summary:        summaryOut(v.Record, now),
		Head:           uint64(v.Record.Head),
		AgentSessionId: v.Record.AgentSession,
		PermissionMode: v.Record.PermissionMode,
		Run:            runOut(v.Run),
		LockHolder:     string(v.LockHolder),
		Clients:        saturate(uint64(max(v.Clients, 0))),
		Grants:         grantsOut(v.Record.Grants),
		Metadata:       v.Record.Metadata,
		Boundary:       uint64(v.Record.Past.Boundary.Seq),
		LowWater:       uint64(v.Record.Past.LowWater),
		ConfirmedModes: v.Record.Confirmed,
		Options:        optionsOut(v.Record.Options),
		ForkedFrom:     forkOut(v.Record.Fork),
	}
	for _, c := range v.Attached {
		out.Attached = append(out.Attached, &pb.AttachedClient{ClientId: string(c.Client), Type: c.Type, Observer: c.Observer, Since: timeOut(c.Since)})
	}
	out.Restricted, out.Withheld = v.Guard.Restricted(), findingsOut(v.Guard.Withheld)
	for _, c := range v.LockWaiting {
		out.LockWaiting = append(out.LockWaiting, string(c))
	}
	for _, p := range v.Permissions {
		if p.Decision == messages.Undecided {
			out.Permissions = append(out.Permissions, pendingOut(p, v.Record.Name))
			noteAsks(out.Summary, []messages.PermissionRecord{p})
		}
	}
	for _, i := range v.Inputs {
		out.Inputs = append(out.Inputs, &pb.PendingInput{IdempotencyKey: i.Key, State: inputStateOut(i.State), Sequence: uint64(i.Seq)})
	}
	return out
}

func runOut(r *messages.RunRecord) *pb.RunInfo {
	if r == nil {
		return nil
	}
	return &pb.RunInfo{
		Run:         uint64(r.Run),
		Pid:         int32(r.Process.PID),
		LauncherPid: int32(r.Launcher.PID),
		StartedAt:   timeOut(r.StartedAt),
		State:       runStateOut(r),
		Directory:   r.Directory,
		Alarm:       string(r.Alarm),
		Frozen:      r.Frozen,
		Fence:       r.Fence,
	}
}

func runStateOut(r *messages.RunRecord) pb.RunState {
	switch r.State {
	case messages.RunIntended:
		return pb.RunState_RUN_STATE_UNSPECIFIED
	case messages.RunRunning:
		return pb.RunState_RUN_STATE_STARTED
	case messages.RunFinished:
		if !r.Exit.Known {
			return pb.RunState_RUN_STATE_LOST
		}
		return pb.RunState_RUN_STATE_EXITED
	}
	return pb.RunState(r.State)
}

func inputStateOut(s messages.InputState) string {
	switch s {
	case messages.InputAccepted:
		return "accepted"
	case messages.InputWriting:
		return "writing"
	case messages.InputWritten:
		return "written"
	case messages.InputQueued:
		return "queued"
	case messages.InputStarted:
		return "started"
	case messages.InputFolded:
		return "folded"
	}
	return fmt.Sprintf("state %d", s)
}
