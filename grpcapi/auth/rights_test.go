package auth

import (
	"testing"

	pb "betcode/proto/betcode/v1"
)

// Each request on a Converse stream needs rights of its own.
func TestRequestNeeds(t *testing.T) {
	for name, test := range map[string]struct {
		request *pb.AgentRequest
		need    string
	}{
		"permission": {&pb.AgentRequest{Request: &pb.AgentRequest_Permission{}}, "approve"},
		"question":   {&pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{}}, "approve"},
		"message":    {&pb.AgentRequest{Request: &pb.AgentRequest_Message{}}, "control"},
		"cancel":     {&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{}}, "control"},
		"lock":       {&pb.AgentRequest{Request: &pb.AgentRequest_Lock{}}, "control"},
		"model":      {&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{Model: "m"}}}, "control"},
		"bypass":     {&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{PermissionMode: "bypassPermissions"}}}, "approve,control"},
		"start":      {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{}}}, "view"},
		"tools":      {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{AllowedTools: []string{"Bash"}}}}, "approve,control"},
		"edits":      {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{PermissionMode: "acceptEdits"}}}, "approve,control"},
		"plan":       {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{PermissionMode: "plan"}}}, "view"},
		"effort":     {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{Options: &pb.AgentOptions{Effort: "low", MaxTurns: 1, NoTools: true}}}}, "view"},
		"directory":  {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{Options: &pb.AgentOptions{AdditionalDirectories: []string{"/"}}}}}, "approve,control"},
		"servers":    {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{Options: &pb.AgentOptions{McpConfig: []byte("x")}}}}, "approve,control"},
		"agents":     {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{Options: &pb.AgentOptions{Agents: []byte("x")}}}}, "approve,control"},
		"agent":      {&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{Options: &pb.AgentOptions{Agent: "x"}}}}, "approve,control"},
		"empty":      {&pb.AgentRequest{}, "control"},
	} {
		if got := requestNeeds(test.request).String(); got != test.need {
			t.Errorf("%s needs %s", name, got)
		}
	}
}
