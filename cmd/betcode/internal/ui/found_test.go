package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/chat/editor"
	pb "betcode/proto/betcode/v1"
)

// keys presses keys on a page; a longer name is one key.
func keys(page interface{ Press(editor.Key) Effect }, names ...string) (last Effect) {
	for _, name := range names {
		k := editor.Key{Name: name}
		if len(name) == 1 {
			k.Text = name
		}
		last = page.Press(k)
	}
	return last
}

// hitsOf returns so many hits, whose texts are long and hostile.
func hitsOf(n int) *pb.SearchResponse {
	r := &pb.SearchResponse{Total: uint32(n) + 5} //nolint:gosec // few
	for i := range n {
		r.Hits = append(r.Hits, &pb.SearchHit{
			SessionId: fmt.Sprintf("s%d", i), SessionName: "name\x1b[2J", Sequence: uint64(10 + i), ToolName: "Ba\x1bsh", Kind: pb.SearchKind_SEARCH_KIND_RESULT, //nolint:gosec // few
			Snippet: fmt.Sprintf("hit %d \x1b]52;c;x\x07 needle %s", i, strings.Repeat("word ", 60)), Matches: []*pb.TextRange{{Start: 0, End: 3}},
		})
	}
	return r
}

// A search asks once for each query, opens the session of the chosen hit at its event, and shows nothing that touches the terminal.
func TestFound(t *testing.T) {
	f := NewFound(false, 60, 14)
	if got := keys(f, "enter"); got != nil {
		t.Errorf("an empty query: %v", got)
	}
	f.Paste("nee\ndle")
	if got := keys(f, "s", "enter"); got != (Search{"nee dles"}) {
		t.Errorf("the query: %v", got)
	}
	f.Took("another query", hitsOf(1), nil)
	if !strings.Contains(f.Rows(now)[13], "searching") {
		t.Errorf("an answer to another query is shown: %q", f.Rows(now))
	}
	f.Took("nee dles", hitsOf(20), nil)
	for i := range 20 {
		shown := strings.Join(f.Rows(now), "\n")
		if len(f.Rows(now)) != 14 || !strings.Contains(shown, fmt.Sprintf("hit %d ", i)) || strings.ContainsAny(shown, "\x1b\x07") || !strings.Contains(shown, `name\x1b[2J`) {
			t.Fatalf("hit %d is not shown:\n%q", i, shown)
		}
		if got, want := keys(f, "enter"), (Open{Session: fmt.Sprintf("s%d", i), At: uint64(10 + i), Words: hitsOf(20).GetHits()[i].GetSnippet()}); got != want { //nolint:gosec // few
			t.Errorf("hit %d opens %v", i, got)
		}
		keys(f, "j")
	}
	if got := keys(f, "g", "enter"); got != (Open{Session: "s0", At: 10, Words: hitsOf(1).GetHits()[0].GetSnippet()}) {
		t.Errorf("back at the first hit: %v", got)
	}
	if got := keys(f, "s", "backspace", "enter"); got != (Search{"nee dle"}) {
		t.Errorf("the changed query: %v", got)
	}
	f.Took("nee dle", nil, errors.New("no \x1bindex"))
	if row := f.Rows(now)[13]; !strings.Contains(row, `no \x1bindex`) {
		t.Errorf("the failure: %q", row)
	}
	if got := keys(f, "esc"); got != (HideSearch{}) {
		t.Errorf("esc: %v", got)
	}
}

// What happened while a person was away is one line, until Esc. A long time without the focus is an absence.
func TestAway(t *testing.T) {
	m := some()
	m.Away(&pb.DigestResponse{Since: timestamppb.New(now.Add(-3 * time.Hour)), Until: timestamppb.New(now)}, true)
	if row := m.Rows(now)[1]; row != "" {
		t.Errorf("nothing happened: %q", row)
	}
	digest := &pb.DigestResponse{
		Since: timestamppb.New(now.Add(-3 * time.Hour)), Until: timestamppb.New(now), Sessions: []*pb.SessionDigest{{}, {}}, Turns: 5, FailedTurns: 1, Decisions: 2, CostUsd: 0.5,
	}
	m.Away(digest, false)
	if row := m.Rows(now)[1]; row != "In the last 24 hours: 2 sessions, 5 turns, 1 failed, 2 decisions, $0.50" {
		t.Errorf("the first screen of all: %q", row)
	}
	m.Away(digest, true)
	if row := m.Rows(now)[1]; row != "While you were away, for 3h 0m: 2 sessions, 5 turns, 1 failed, 2 decisions, $0…" {
		t.Errorf("the digest: %q", row)
	}
	press(m, "esc")
	if row := m.Rows(now)[1]; row != "" {
		t.Errorf("the digest stays: %q", row)
	}
	if since := m.Focus(now, true); !since.IsZero() {
		t.Errorf("the focus was never away: %v", since)
	}
	m.Focus(now, false)
	if since := m.Focus(now.Add(time.Minute), true); !since.IsZero() {
		t.Errorf("a minute is an absence: %v", since)
	}
	m.Focus(now, false)
	if since := m.Focus(now.Add(time.Hour), true); !since.Equal(now) {
		t.Errorf("an hour is no absence: %v", since)
	}
}

// The plain search gives each hit a number, by which it is opened.
func TestPlainSearch(t *testing.T) {
	p := NewPlain()
	for line, want := range map[string]Effect{"search needle x": Search{"needle x"}, "search": nil, "hit 1": nil} {
		if lines, got := p.Line(now, line); got != want || want == nil && len(lines) == 0 {
			t.Errorf("%q: %v, %q", line, got, lines)
		}
	}
	lines := p.Found(now, hitsOf(2))
	if len(lines) != 3 || !strings.HasPrefix(lines[1], `hit 2. name\x1b[2J: result Ba\x1bsh, -: hit 1 \x1b]52`) || lines[2] != "5 more." {
		t.Errorf("the hits: %q", lines)
	}
	if _, got := p.Line(now, "hit 2"); got != (Open{Session: "s1", At: 11}) {
		t.Errorf("hit 2: %v", got)
	}
	if lines, got := p.Line(now, "hit 3"); got != nil || len(lines) != 1 {
		t.Errorf("hit 3: %v, %q", got, lines)
	}
}

// Why there are no plans is shown as a whole, with the command that mends it, on a narrow terminal too.
func TestPlansThatWereNotRead(t *testing.T) {
	p := &Plans{width: 40, height: 12}
	const command = "betcode config set feature_flags.x true"
	p.Took(nil, status.Error(codes.Unimplemented, "the feature is not enabled. Switch it on: "+command))
	if shown := strings.Join(strings.Fields(strings.Join(p.Rows(now), " ")), " "); !strings.Contains(shown, command) || strings.Count(shown, "not read") != 1 {
		t.Errorf("shown\n%s", shown)
	}
	if rows := p.Rows(now); len(rows) != p.height {
		t.Errorf("%d rows of %d", len(rows), p.height)
	}
}
