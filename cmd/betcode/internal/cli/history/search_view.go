package history

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/lookback"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

// searchView shows hits: a table, or plainly with each match marked.
func searchView(found *pb.SearchResponse, plain bool) output.View {
	hits := found.GetHits()
	view := output.View{
		Schema: "betcode.search/v1", Value: found, List: "hits", Name: "session_id", Remark: lookback.Remark(found, "; see --limit"),
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
				l.ID(h.GetSessionId()), fmt.Sprint(h.GetSequence()), l.When(h.GetTimestamp()), lookback.Kind(h.GetKind()), h.GetToolName(), h.GetSessionName(),
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
		text := lookback.Marked(h, l.Style())
		if l.Layout.Width > 0 {
			text = strings.ReplaceAll(ansi.Wrap(text, max(l.Layout.Width-4, 20), " "), "\n", "\n    ")
		}
		_, err := fmt.Fprintf(w, "%s%s  %s  %s\n    %s\n", l.Style().Accent(head), name, l.Style().Dim(console.Line(lookback.Source(h))), l.Style().Dim(l.When(h.GetTimestamp())),
			text)
		if err != nil {
			return err
		}
	}
	return nil
}
