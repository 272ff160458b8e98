package cli

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

// refuse refuses a request, as the daemon does: by an event that is not journaled.
func (s *script) refuse(code, message, key string) {
	details := map[string]string{}
	if key != "" {
		details["idempotency_key"] = key
	}
	_ = s.stream.Send(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: code, Message: message, Details: details}}})
}

// A run whose settings are refused sends no prompt; one whose settings are changed does.
func TestRunChangesSettings(t *testing.T) {
	for name, test := range map[string]struct {
		refused, breaks bool
		code            int
		says            string // on standard error
		prompts         int
	}{
		"changed": {prompts: 1},
		"refused": {refused: true, code: 3, says: "the settings were not changed: not yours; the prompt was not sent"},
		"broken":  {breaks: true, code: 2, says: "the connection to the daemon broke"},
	} {
		t.Run(name, func(t *testing.T) {
			prompts := make(chan string, 8)
			serveFake(t, &fakeDaemon{
				show: &pb.ShowSessionResponse{Summary: &pb.SessionSummary{Id: sessionA}, Head: 3},
				talk: func(_ *fakeDaemon, s *script) error {
					if change := s.next().GetSettings(); change.GetPermissionMode() != "bypassPermissions" {
						t.Errorf("got %v first", change)
					}
					if test.breaks {
						return status.Error(codes.Unavailable, "killed")
					}
					behind := s.next().GetMessage()
					if behind.GetContent() != "" || behind.GetIdempotencyKey() == "" {
						t.Errorf("got %v behind the change", behind)
					}
					if test.refused { // the client may leave now
						s.refuse("PERMISSION_DENIED", "not yours", "")
					}
					s.send(eventtest.Text("of another turn"))
					s.refuse("INVALID_ARGUMENT", "the message is empty", behind.GetIdempotencyKey())
					m := s.next().GetMessage()
					if m == nil {
						return nil
					}
					prompts <- m.GetContent()
					s.send(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: m.GetContent(), IdempotencyKey: m.GetIdempotencyKey()}}})
					s.send(eventtest.TurnOver(m.GetIdempotencyKey())...)
					return s.wait()
				},
			})
			code, _, stderr := command(t, "", "run", "--session", sessionA, "--permission-mode", "bypassPermissions", "hi")
			if code != test.code || !strings.Contains(stderr, test.says) || len(prompts) != test.prompts {
				t.Errorf("exit %d, want %d; %d prompts; %s", code, test.code, len(prompts), stderr)
			}
		})
	}
}
