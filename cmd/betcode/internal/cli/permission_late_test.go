package cli

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

// An answer to a question that no longer waits reports the decision, as allow and deny do.
func TestAnswerTooLate(t *testing.T) {
	at := timestamppb.New(time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC))
	serveFake(t, &fakeDaemon{
		pending: []*pb.PendingPermission{{RequestId: "other", SessionId: sessionA, ToolName: "Bash"}},
		before: map[string]*pb.AnswerPermissionResponse{
			"answered": {RequestId: "answered", ResolvedBy: "ann", Decision: pb.PermissionDecision_ALLOW_ONCE, Reason: "client", DecidedAt: at},
			"declined": {RequestId: "declined", ResolvedBy: "ann", Decision: pb.PermissionDecision_DENY, Reason: "client", DecidedAt: at},
		},
	})
	for ref, want := range map[string]struct {
		code int
		says string
	}{
		"answered": {0, "request answered was allowed before by ann at 2031-05-06T07:08:09Z; the earlier answers count."},
		"declined": {1, "request declined was denied before by ann at 2031-05-06T07:08:09Z; this answer has no effect"},
		"unknown":  {6, "no waiting request begins with \"unknown\""},
	} {
		if code, _, stderr := command(t, "", "permission", "answer", ref, "2"); code != want.code || !strings.Contains(stderr, want.says) {
			t.Errorf("%s: exit %d, want %d: %s", ref, code, want.code, stderr)
		}
	}
}
