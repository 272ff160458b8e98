package history

import (
	"os"
	"path/filepath"
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

func TestMarked(t *testing.T) {
	ranges := func(at ...uint32) (all []*pb.TextRange) {
		for i := 0; i < len(at); i += 2 {
			all = append(all, &pb.TextRange{Start: at[i], End: at[i+1]})
		}
		return all
	}
	for _, c := range []struct {
		text    string
		matches []*pb.TextRange
		want    string
	}{
		{"a needle here", ranges(2, 8), "a <needle> here"},
		{"x", ranges(0, 1), "<x>"},
		{"\x1b[31mred", ranges(0, 8), `<\x1b[31mred>`},
		{"ab", ranges(1, 9), "ab"},
		{"ab", ranges(1, 0), "ab"},
		{"abc", ranges(0, 2, 1, 3), "<ab>c"},
	} {
		got := marked(&pb.SearchHit{Snippet: c.text, Matches: c.matches}, true)
		got = strings.NewReplacer("\x1b[1m\x1b[33m", "<", "\x1b[0m\x1b[0m", ">").Replace(got)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if plain := marked(&pb.SearchHit{Snippet: c.text, Matches: c.matches}, false); plain != strings.NewReplacer("<", "", ">", "").Replace(c.want) {
			t.Errorf("%q without colour: %q", c.text, plain)
		}
	}
}

// A look is stored for the next digest. One that is damaged, or in the future, counts as none.
func TestLastLook(t *testing.T) {
	state := t.TempDir()
	if at := lastLook(state, noon); !at.Equal(noon.Add(-defaultPeriod)) {
		t.Errorf("the first look is %v", at)
	}
	if err := noteLook(state, noon); err != nil {
		t.Fatal(err)
	}
	if at := lastLook(state, noon.Add(time.Hour)); !at.Equal(noon) {
		t.Errorf("the last look is %v", at)
	}
	if at := lastLook(state, noon.Add(-time.Hour)); !at.Equal(noon.Add(-time.Hour - defaultPeriod)) {
		t.Errorf("a look in the future is %v", at)
	}
	if err := os.WriteFile(filepath.Join(state, lookFile), []byte("\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if at := lastLook(state, noon); !at.Equal(noon.Add(-defaultPeriod)) {
		t.Errorf("a damaged look is %v", at)
	}
	if err := noteLook("", noon); err != nil {
		t.Errorf("a daemon elsewhere: %v", err)
	}
}

func TestDigestText(t *testing.T) {
	d := &pb.DigestResponse{
		Since: timestamppb.New(noon.Add(-2 * time.Hour)), Turns: 3, FailedTurns: 1, CostUsd: 1.5, Decisions: 2, MoreSessions: 2,
		Sessions: []*pb.SessionDigest{{
			SessionId: "5e0a0000-0000-4000-8000-000000000000", SessionName: "parser\x1b[2J", WorkingDirectory: "/w", Turns: 3, FailedTurns: 1, CostUsd: 1.5,
			FilesChanged: []string{"/w/a.go", "/w/..b", "/etc/c"}, FilesChangedTotal: 9, DecisionsTotal: 2, LastText: "All tests pass.",
			Decisions: []*pb.DigestDecision{{Request: "go test ./...", Outcome: "allowed", DecidedBy: "ann@host"}, {Outcome: "expired", DecidedBy: "deadline"}},
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
    allowed by ann@host: go test ./...
    expired by deadline: 
    All tests pass.

2 more sessions have changed; see --limit.
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}
