package cli

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

// changeOutcome is the daemon's reaction to the settings on a command line.
type changeOutcome int

const (
	changed changeOutcome = iota
	refused
	broken // the connection breaks before the answer
)

// changesSettings returns a conversation that expects a change of the settings, then an empty message behind it, and
// sends the content of the message that follows to messages.
func changesSettings(t *testing.T, outcome changeOutcome, messages chan<- string) func(*fakeDaemon, *script) error {
	return func(_ *fakeDaemon, s *script) error {
		if change := s.next().GetSettings(); change.GetPermissionMode() != "bypassPermissions" {
			t.Errorf("got %v first", change)
		}
		if outcome == broken {
			return status.Error(codes.Unavailable, "killed")
		}
		behind := s.next().GetMessage()
		if behind.GetContent() != "" || behind.GetIdempotencyKey() == "" {
			t.Errorf("got %v behind the change", behind)
		}
		if outcome == refused { // the client may leave now
			s.refuse("PERMISSION_DENIED", "not yours", "")
		}
		s.send(eventtest.Text("of another turn"))
		s.refuse("INVALID_ARGUMENT", "the message is empty", behind.GetIdempotencyKey())
		m := s.next().GetMessage()
		if m == nil {
			return nil
		}
		messages <- m.GetContent()
		s.send(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: m.GetContent(), IdempotencyKey: m.GetIdempotencyKey()}}})
		s.send(eventtest.TurnOver(m.GetIdempotencyKey())...)
		return s.wait()
	}
}

// TestSettingsChangeFirst checks that run and chat send no message until the settings on their command line are changed,
// and end with the reason if they are not.
func TestSettingsChangeFirst(t *testing.T) {
	commands := map[string]struct {
		head      uint64 // chat reads history up to it before it sends
		stdin     string
		arguments []string
	}{
		"run":  {3, "", []string{"run", "--session", sessionA, "--permission-mode", "bypassPermissions", "hi"}},
		"chat": {0, "hi\n", []string{"chat", "--session", sessionA, "--permission-mode", "bypassPermissions"}},
	}
	for _, test := range []struct {
		name, command string
		outcome       changeOutcome
		code          int
		stderr        string // in part
		messages      int
	}{
		{"run changed", "run", changed, 0, "", 1},
		{"run refused", "run", refused, 3, "the settings were not changed: not yours; the prompt was not sent", 0},
		{"run broken", "run", broken, 2, "the connection to the daemon broke", 0},
		{"chat changed", "chat", changed, 0, "", 1},
		{"chat refused", "chat", refused, 3, "the settings were not changed: not yours", 0},
		{"chat broken", "chat", broken, 2, "the connection to the daemon broke before the settings were changed", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			messages := make(chan string, 8)
			c := commands[test.command]
			serveFake(t, &fakeDaemon{
				show: &pb.ShowSessionResponse{Summary: &pb.SessionSummary{Id: sessionA}, Head: c.head},
				talk: changesSettings(t, test.outcome, messages),
			})
			code, stdout, stderr := command(t, c.stdin, c.arguments...)
			if code != test.code || !strings.Contains(stderr, test.stderr) || len(messages) != test.messages ||
				strings.Contains(stdout, "the message is empty") {
				t.Errorf("exit %d, want %d; %d messages\n%s\n%s", code, test.code, len(messages), stdout, stderr)
			}
		})
	}
}
