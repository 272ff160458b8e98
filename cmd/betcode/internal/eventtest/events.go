// Package eventtest builds events of the daemon for tests of packages that show them.
package eventtest

import (
	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

// Text returns a complete block of text, whose id is the text.
func Text(text string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: text, BlockId: text, IsComplete: true}}}
}

// Call returns a call of a tool with a command.
func Call(tool, command string) *pb.AgentEvent {
	input, _ := structpb.NewStruct(map[string]any{"command": command})
	return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolName: tool, Input: input}}}
}

// Asks returns a permission request for a call of a tool with a command.
func Asks(request, tool, command string) *pb.AgentEvent {
	input, _ := structpb.NewStruct(map[string]any{"command": command})
	return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: request, ToolName: tool, Input: input}}}
}

// Resolved returns the event that another client, web, allowed a request.
func Resolved(request string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{
		RequestId: request, Reason: "client", Decision: pb.PermissionDecision_ALLOW_ONCE, ResolvedBy: "web",
	}}}
}

// Question returns a question to the user; id is REQUEST/NUMBER.
func Question(id, text string, multi bool, options ...string) *pb.AgentEvent {
	q := &pb.UserQuestion{QuestionId: id, Question: text, MultiSelect: multi}
	for _, o := range options {
		q.Options = append(q.Options, &pb.QuestionOption{Value: o, Label: o})
	}
	return &pb.AgentEvent{Event: &pb.AgentEvent_UserQuestion{UserQuestion: q}}
}

// TurnOver returns the events at the end of a turn that answered the messages with these keys.
func TurnOver(keys ...string) []*pb.AgentEvent {
	return []*pb.AgentEvent{
		{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{InputTokens: 10, OutputTokens: 2, CostUsd: 0.01}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "end_turn", InputKeys: keys}}},
		Status(pb.AgentStatus_IDLE),
	}
}

// Status returns a change of the agent's status.
func Status(s pb.AgentStatus) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_StatusChange{StatusChange: &pb.StatusChange{Status: s}}}
}

// Retracted returns the events of a turn, for the message with key "k", whose second text and whose call are taken back.
func Retracted() []*pb.AgentEvent {
	text := func(block, words string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: words, IsComplete: true}}}
	}
	return []*pb.AgentEvent{
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "go", IdempotencyKey: "k"}}},
		text("m0/0", "Stays too."),
		{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t1", ToolName: "Bash", Description: "gone"}}},
		{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t1", Output: "gone"}}},
		text("m1/0", "Goes away."),
		text("m2/0", "Stays."),
		{Event: &pb.AgentEvent_Retraction{Retraction: &pb.Retraction{
			BlockIds: []string{"m1/0", "m9/0"}, ToolIds: []string{"t1", "t9"}, Reason: "superseded",
		}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{InputKeys: []string{"k"}}}},
	}
}
