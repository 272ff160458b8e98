package history

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func TestDigestText(t *testing.T) {
	d := &pb.DigestResponse{
		Since: timestamppb.New(noon.Add(-2 * time.Hour)), Turns: 3, FailedTurns: 1, CostUsd: 1.5, Decisions: 2, MoreSessions: 2,
		Sessions: []*pb.SessionDigest{{
			SessionId: "5e0a0000-0000-4000-8000-000000000000", SessionName: "parser\x1b[2J", WorkingDirectory: "/w", Turns: 3, FailedTurns: 1, CostUsd: 1.5,
			FilesChanged: []string{"/w/a.go", "/w/..b", "/etc/c"}, FilesChangedTotal: 9, DecisionsTotal: 2, LastText: "All tests pass.",
			Decisions: []*pb.DigestDecision{{Request: "go test ./...", Outcome: "allowed", DecidedBy: "ann@host:pts/3#12.abcdefghij"}, {Outcome: "expired", DecidedBy: "deadline"}},
		}},
	}
	states := map[string]sessionstate.State{d.GetSessions()[0].GetSessionId(): {Name: sessionstate.Waiting, Reason: "git push"}}
	var out strings.Builder
	if err := writeDigest(&out, output.Look{Person: true, Now: noon, Layout: console.Layout{}}, d, states); err != nil {
		t.Fatal(err)
	}
	const want = `Since 2h ago: 1 session, 3 turns, 1 failed, 2 decisions, $1.50.

5e0a0000  parser\x1b[2J  waiting: git push
    3 turns, 1 failed, $1.50
    changed a.go, ..b, /etc/c, and 6 more
    allowed by ann@host pts/3: go test ./...
    expired by deadline: 
    All tests pass.

2 more sessions have changed; see --limit.
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}
