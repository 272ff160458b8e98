package history

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/lookback"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// What a person is shown of a session.
const (
	filesShown     = 5
	decisionsShown = 5
)

// writeDigest writes one line of totals, and a paragraph for each session.
func writeDigest(w io.Writer, l output.Look, d *pb.DigestResponse, states map[string]sessionstate.State) error {
	var out strings.Builder
	since := console.Ago(d.GetSince(), l.Now)
	if len(d.GetSessions()) == 0 {
		fmt.Fprintf(&out, "Nothing has happened since %s.\n", since)
	} else {
		fmt.Fprintf(&out, "Since %s: %s.\n", since, strings.Join(lookback.Sums(d), ", "))
	}
	for _, s := range d.GetSessions() {
		out.WriteByte('\n')
		writeSession(&out, l, s, states[s.GetSessionId()])
	}
	if n := d.GetMoreSessions(); n > 0 {
		fmt.Fprintf(&out, "\n%d more sessions have changed; see --limit.\n", n)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// writeSession writes what has happened in a session. All text in it is the agent's or a client's.
func writeSession(out *strings.Builder, l output.Look, s *pb.SessionDigest, state sessionstate.State) {
	style := l.Style()
	head := style.Accent(l.ID(s.GetSessionId()))
	if s.GetSessionName() != "" {
		head += "  " + style.Bold(console.Line(s.GetSessionName()))
	}
	what := string(state.Name)
	if state.Reason != "" {
		what += ": " + console.Line(state.Reason)
	}
	if state.Name == sessionstate.Waiting || state.Name == sessionstate.Blocked {
		what = style.Yellow(what)
	}
	fmt.Fprintf(out, "%s  %s\n", head, what)
	sums := []string{console.Count(s.GetTurns(), "turn")}
	if n := s.GetFailedTurns(); n > 0 {
		sums = append(sums, style.Red(fmt.Sprintf("%d failed", n)))
	}
	sums = append(sums, fmt.Sprintf("$%.2f", s.GetCostUsd()))
	if s.GetPartial() {
		sums = append(sums, "of the newest events only")
	}
	fmt.Fprintf(out, "    %s\n", strings.Join(sums, ", "))
	if files := s.GetFilesChanged(); len(files) > 0 {
		shown := make([]string, 0, filesShown+1)
		for _, file := range files[:min(len(files), filesShown)] {
			shown = append(shown, console.Line(relativeTo(s.GetWorkingDirectory(), file)))
		}
		if more := int(s.GetFilesChangedTotal()) - len(shown); more > 0 {
			shown = append(shown, fmt.Sprintf("and %d more", more))
		}
		fmt.Fprintf(out, "    changed %s\n", strings.Join(shown, ", "))
	}
	decisions := s.GetDecisions()
	for _, decision := range decisions[:min(len(decisions), decisionsShown)] {
		fmt.Fprintf(out, "    %s by %s: %s\n", console.Line(decision.GetOutcome()), console.Client(decision.GetDecidedBy()), l.Cut(decision.GetRequest(), 100))
	}
	if more := int(s.GetDecisionsTotal()) - min(len(decisions), decisionsShown); more > 0 {
		fmt.Fprintf(out, "    %s more\n", console.Count(more, "decision"))
	}
	if text := lastOf(s); text != "" {
		fmt.Fprintf(out, "    %s\n", style.Dim(l.Cut(text, 160)))
	}
}

// relativeTo returns a path as seen from a directory, if it is in it.
func relativeTo(directory, path string) string {
	if relative, err := filepath.Rel(directory, path); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return path
}
