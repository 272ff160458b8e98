package cli

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

// TestChatChangesSettings checks that a chat sends nothing until the settings on its command line are changed, and ends
// with the reason if they are refused.
func TestChatChangesSettings(t *testing.T) {
	for name, test := range map[string]struct {
		refused, breaks bool
		code            int
		stderr          string // in part
		messages        int
	}{
		"changed": {messages: 1},
		"refused": {refused: true, code: 3, stderr: "the settings were not changed: not yours"},
		"broken":  {breaks: true, code: 2, stderr: "the connection to the daemon broke before the settings were changed"},
	} {
		t.Run(name, func(t *testing.T) {
			messages := make(chan string, 8)
			serveFake(t, &fakeDaemon{
				show: &pb.ShowSessionResponse{Summary: &pb.SessionSummary{Id: sessionA}},
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
					if test.refused {
						s.refuse("PERMISSION_DENIED", "not yours", "")
					}
					s.refuse("INVALID_ARGUMENT", "the message is empty", behind.GetIdempotencyKey())
					m := s.next().GetMessage()
					if m == nil {
						return nil
					}
					messages <- m.GetContent()
					s.send(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: m.GetContent(), IdempotencyKey: m.GetIdempotencyKey()}}})
					s.send(eventtest.TurnOver(m.GetIdempotencyKey())...)
					return s.wait()
				},
			})
			code, stdout, stderr := command(t, "hello\n", "chat", "--session", sessionA, "--permission-mode", "bypassPermissions")
			if code != test.code || !strings.Contains(stderr, test.stderr) || len(messages) != test.messages || strings.Contains(stdout, "the message is empty") {
				t.Errorf("exit %d, want %d; %d messages\n%s\n%s", code, test.code, len(messages), stdout, stderr)
			}
		})
	}
}
