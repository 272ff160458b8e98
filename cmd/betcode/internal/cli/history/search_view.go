package history

import (
	"fmt"
	"io"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// searchView shows hits: a table, or plainly with each match marked.
func searchView(found *pb.SearchResponse, plain bool) output.View {
	hits := found.GetHits()
	view := output.View{
		Schema: "betcode.search/v1", Value: found, List: "hits", Name: "session_id", Remark: remark(found),
		Columns: []console.Column{
			{Title: "SESSION", Whole: true},
			{Title: "SEQ", Whole: true},
			{Title: "TIME", Whole: true},
			{Title: "KIND", Whole: true},
			{Title: "TOOL"},
			{Title: "NAME", Wide: true},
			{Title: "DIRECTORY", Wide: true},
			{Title: "TEXT", Text: true},
		},
		Row: func(i int, l output.Look) []string {
			h := hits[i]
			return []string{
				l.ID(h.GetSessionId()), fmt.Sprint(h.GetSequence()), l.When(h.GetTimestamp()), kindName(h.GetKind()), h.GetToolName(), h.GetSessionName(),
				h.GetWorkingDirectory(), h.GetSnippet(),
			}
		},
	}
	if plain {
		view.Row = nil
		view.Text = func(w io.Writer, l output.Look) error { return writeHits(w, l, hits) }
	}
	if len(hits) == 0 {
		view.Err = exit.Silent(exit.Failed)
	}
	return view
}

// writeHits writes two lines for each hit: where it is, and its text.
func writeHits(w io.Writer, l output.Look, hits []*pb.SearchHit) error {
	for _, h := range hits {
		name := console.Line(h.GetSessionName())
		if name != "" {
			name = "  " + l.Cut(name, 40)
		}
		head := fmt.Sprintf("%s:%d", l.ID(h.GetSessionId()), h.GetSequence())
		_, err := fmt.Fprintf(w, "%s%s  %s  %s\n    %s\n", l.Style().Accent(head), name, l.Style().Dim(console.Line(sourceOf(h))), l.Style().Dim(l.When(h.GetTimestamp())),
			marked(h, l.Style()))
		if err != nil {
			return err
		}
	}
	return nil
}

// marked returns the text of a hit with its matches in bold. Each piece is made visible before it is styled, so that nothing in it
// reaches the terminal. Ranges that do not fit the text are ignored.
func marked(h *pb.SearchHit, style console.Style) string {
	var out strings.Builder
	text, at := h.GetSnippet(), 0
	for _, m := range h.GetMatches() {
		start, end := int(m.GetStart()), int(m.GetEnd())
		if start < at || end < start || end > len(text) {
			continue
		}
		out.WriteString(visible.Line(text[at:start]) + style.Bold(style.Yellow(visible.Line(text[start:end]))))
		at = end
	}
	return out.String() + visible.Line(text[at:])
}

// remark says what a person should know about the hits.
func remark(found *pb.SearchResponse) string {
	var said []string
	if shown := len(found.GetHits()); shown == 0 {
		said = append(said, "Nothing is found.")
	} else if more := int(found.GetTotal()) - shown; more > 0 {
		said = append(said, fmt.Sprintf("%d more; see --limit.", more))
	}
	if n := found.GetEventsBehind(); n > 0 {
		said = append(said, fmt.Sprintf("%d events are not indexed yet.", n))
	}
	if n := found.GetDamagedSessions(); n > 0 {
		said = append(said, fmt.Sprintf("%d sessions cannot be read: 'betcode journal verify'.", n))
	}
	if t := found.GetIncompleteBefore(); t != nil {
		said = append(said, "What is older than "+t.AsTime().Local().Format("2006-01-02")+" may be missing: see search.max_bytes.")
	}
	return strings.Join(said, " ")
}
