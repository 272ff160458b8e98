package socket

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

// The texts of denials for the agent.
const (
	deniedByUser  = "Denied by user"
	sessionClosed = "Session closed"
)

// maxName bounds the name of a session, in bytes; the daemon has the same bound.
const maxName = 200

// opening returns the request that begins a session. Its options apply to every later turn. The
// session gets its client's id as its name, by which it can be found again.
func opening(id ref, m startSession) *pb.StartConversation {
	start := &pb.StartConversation{
		WorkingDirectory: m.cwd, Model: m.model, PermissionMode: m.mode, AllowedTools: m.tools,
		Metadata: map[string]string{"gateway": "socket"}, Name: nameOf(id),
	}
	if m.systemPrompt != "" {
		start.Options = &pb.AgentOptions{AppendSystemPrompt: m.systemPrompt}
	}
	return start
}

// nameOf returns the name of a session; none if the id cannot be one.
func nameOf(id ref) string {
	name := id.text()
	if len(name) > maxName {
		return ""
	}
	for _, c := range name {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			return ""
		}
	}
	return name
}

func input(prompt, key string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: prompt, IdempotencyKey: key}}}
}

func cancel() *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "interrupt"}}}
}

// decide returns the request for an answer to p, or nil if p does not accept the answer. An
// unchanged input is not an edit.
func (p *prompt) decide(m permissionResponse) (*pb.AgentRequest, error) {
	out := &pb.PermissionResponse{RequestId: p.request, Decision: pb.PermissionDecision_ALLOW_ONCE}
	switch {
	case !m.allow:
		out.Decision, out.Message = pb.PermissionDecision_DENY, m.message
		if out.Message == "" {
			out.Message = deniedByUser
		}
	case p.question:
		return nil, nil
	case m.input != nil:
		edited, err := structpb.NewStruct(m.input)
		if err != nil {
			return nil, fmt.Errorf("Invalid message: 'updatedInput': %w", err) //nolint:staticcheck // like the other errors
		}
		if !proto.Equal(edited, p.input) {
			out.Decision, out.UpdatedInput = pb.PermissionDecision_ALLOW_WITH_EDIT, edited
		}
	}
	return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: out}}, nil
}

// reply returns the request for the answers to a question; nil if p is not a question.
func (p *prompt) reply(m questionResponse) *pb.AgentRequest {
	if !p.question {
		return nil
	}
	return &pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{
		QuestionResponse: &pb.UserQuestionResponse{QuestionId: p.request, Answers: m.answers},
	}}
}
