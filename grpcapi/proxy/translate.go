package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// maxRequestID and maxText bound texts of a proxy, in bytes.
const (
	maxRequestID = 256
	maxText      = 4 << 10
)

// agents are the kinds of agents that proxies run, the default first.
var agents = []string{"claude", "codex", "muse"}

// registerIn translates a registration.
func registerIn(r *pb.ProxyRegister) (messages.ConnectProxy, error) {
	const op = "register proxied session"
	m := messages.ConnectProxy{
		Name: wire.Printable(r.GetName()), WorkingDirectory: r.GetWorkingDirectory(), Host: wire.Printable(r.GetHostname()),
		Version: wire.Printable(r.GetClientVersion()), Agent: cmp.Or(r.GetAgentType(), agents[0]),
		Abilities: messages.ProxyAbilities{
			AcknowledgesFromAgent: r.GetAbilities().GetAcknowledgesFromAgent(), IgnoresLateDecisions: r.GetAbilities().GetIgnoresLateDecisions(),
			Interrupts: r.GetAbilities().GetInterrupts(), Terminates: r.GetAbilities().GetTerminates(),
		},
	}
	var err error
	if m.Session, err = translate.SessionIn(op, r.GetSessionId()); err != nil {
		return m, err
	}
	if r.GetReplacesSessionId() != "" {
		if m.Replaces, err = translate.SessionIn(op, r.GetReplacesSessionId()); err != nil {
			return m, err
		}
	}
	if !slices.Contains(agents, m.Agent) {
		return m, wire.Invalid(op, "Use claude, codex or muse.", "the agent type %q is not known", wire.Clip(m.Agent))
	}
	if len(m.WorkingDirectory) > translate.MaxPathBytes {
		return m, wire.Invalid(op, "Give the directory's real path.", "working_directory has %d bytes", len(m.WorkingDirectory))
	}
	m.Facts, err = factsIn(r.GetFacts())
	return m, err
}

func factsIn(u *pb.ProxyUpdate) (messages.ProxyFacts, error) {
	f := messages.ProxyFacts{Branch: u.GetGitBranch(), Repository: u.GetRepoUrl(), MergeRequest: u.GetPrUrl()}
	for _, text := range []string{f.Branch, f.Repository, f.MergeRequest} {
		if len(text) > maxText {
			return f, wire.Invalid("update proxied session", "Shorten it.", "a fact has %d bytes, the limit is %d", len(text), maxText)
		}
	}
	return f, nil
}

// frameIn translates a request after the first.
func frameIn(r *pb.ProxyRequest) (messages.ProxyFrame, error) {
	const op = "take output of a proxy"
	switch r := r.GetRequest().(type) {
	case *pb.ProxyRequest_Register:
		return nil, wire.Invalid(op, "Open another call for another session.", "this call already belongs to a session")
	case *pb.ProxyRequest_Output:
		return messages.ProxyLine{Seq: r.Output.GetSeq(), Counted: r.Output.Seq != nil, Line: r.Output.GetLine()}, nil
	case *pb.ProxyRequest_Asked:
		return askedIn(r.Asked)
	case *pb.ProxyRequest_InputTaken:
		return messages.ProxyInputTaken{Number: r.InputTaken.GetSeq(), ByAgent: r.InputTaken.GetByAgent(), Failed: r.InputTaken.GetFailed()}, nil
	case *pb.ProxyRequest_DecisionTaken:
		return messages.ProxyDecisionTaken{Request: messages.RequestID(r.DecisionTaken.GetRequestId())}, nil
	case *pb.ProxyRequest_Update:
		return factsIn(r.Update)
	}
	return nil, wire.Invalid(op, "Set one of the members of ProxyRequest that this daemon knows.", "the request is empty")
}

// askedIn checks a permission request, so that people know what they decide.
func askedIn(a *pb.ProxyAsked) (messages.ProxyFrame, error) {
	const op = "ask for permission"
	id := a.GetRequestId()
	switch input := bytes.TrimSpace(a.GetInput()); {
	case id == "" || len(id) > maxRequestID:
		return nil, wire.Invalid(op, "Use 1 to 256 bytes.", "request_id has %d bytes", len(id))
	case a.GetToolName() == "" || len(a.GetToolName()) > maxText:
		return nil, wire.Invalid(op, "Name the tool.", "tool_name has %d bytes", len(a.GetToolName()))
	case !json.Valid(input) || input[0] != '{':
		return nil, wire.Invalid(op, "Send the input of the tool as it is.", "the input is not a JSON object")
	case len(a.GetSuggestions()) > 0 && !json.Valid(a.GetSuggestions()):
		return nil, wire.Invalid(op, "Send a JSON array, or nothing.", "the suggestions are not JSON")
	}
	return messages.ProxyAsked{Request: messages.RequestID(id), Tool: a.GetToolName(), Input: a.GetInput(), Suggestions: a.GetSuggestions()}, nil
}

func registeredOut(session messages.SessionID, c messages.ProxyConnected) *pb.ProxyEvent {
	return &pb.ProxyEvent{Event: &pb.ProxyEvent_Registered{Registered: &pb.ProxyRegistered{SessionId: string(session), Resumed: c.Resumed}}}
}

// eventOut translates an event for a proxy, and returns its approximate size in bytes.
func eventOut(e messages.ProxyEvent) (*pb.ProxyEvent, int) {
	switch e := e.(type) {
	case messages.ProxyInput:
		return &pb.ProxyEvent{Event: &pb.ProxyEvent_Input{Input: &pb.ProxyInput{
			Seq: e.Number, Content: e.Content, IdempotencyKey: e.Key,
		}}}, len(e.Content)
	case messages.ProxyDecision:
		return &pb.ProxyEvent{Event: &pb.ProxyEvent_Decision{Decision: &pb.ProxyDecision{
			RequestId: string(e.Request), Allow: e.Allow, Input: e.Input, Permissions: e.Permissions, Reason: e.Reason,
		}}}, len(e.Input) + len(e.Permissions)
	case messages.ProxyInterrupt:
		return &pb.ProxyEvent{Event: &pb.ProxyEvent_Interrupt{Interrupt: &pb.ProxyInterrupt{}}}, 0
	case messages.ProxyTerminate:
		return &pb.ProxyEvent{Event: &pb.ProxyEvent_Terminate{Terminate: &pb.ProxyTerminate{Reason: e.Reason}}}, 0
	}
	return &pb.ProxyEvent{}, 0
}
