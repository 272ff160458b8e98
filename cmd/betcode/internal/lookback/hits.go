package lookback

import (
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// Marked returns the text of a hit with its matches in bold. Each piece is made visible before it is styled, so that nothing in it
// reaches the terminal. Ranges that do not fit the text are ignored.
func Marked(h *pb.SearchHit, style console.Style) string {
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

// Sought returns the text of a hit from its first match on, as the daemon squeezes it: each run of spaces and ends of lines is one
// space. It is empty if no match fits the text.
func Sought(h *pb.SearchHit) string {
	text := strings.TrimSuffix(h.GetSnippet(), " …")
	for _, m := range h.GetMatches() {
		if start := int(m.GetStart()); start < len(text) {
			return text[start:]
		}
	}
	return ""
}

// Kind returns the name of a kind of part.
func Kind(kind pb.SearchKind) string {
	return strings.ToLower(strings.TrimPrefix(kind.String(), "SEARCH_KIND_"))
}

// Source returns the origin of a hit: its kind, with the name of the tool.
func Source(h *pb.SearchHit) string {
	if h.GetToolName() == "" {
		return Kind(h.GetKind())
	}
	return Kind(h.GetKind()) + " " + h.GetToolName()
}

// Remark returns a note about the hits; more describes how to get further hits.
func Remark(found *pb.SearchResponse, more string) string {
	var said []string
	if shown := len(found.GetHits()); shown == 0 {
		said = append(said, "Nothing is found.")
	} else if rest := int(found.GetTotal()) - shown; rest > 0 {
		said = append(said, fmt.Sprintf("%d more%s.", rest, more))
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
