package render

import (
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// shownPart is the length in bytes of the beginning of a text by which a person
// recognises it.
const shownPart = 60

// shownParts is what the screen has shown of the running turn, which cannot be erased: the beginning of each block of
// text and the names of the tools, by id.
type shownParts struct{ texts, tools map[string]string }

// text records a piece of a block.
func (s *shownParts) text(block, piece string) {
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	if known := s.texts[block]; len(known) <= shownPart {
		s.texts[block] = known + piece[:min(len(piece), 4*shownPart)]
	}
}

// call records a tool call.
func (s *shownParts) call(id, tool string) {
	if s.tools == nil {
		s.tools = map[string]string{}
	}
	s.tools[id] = tool
}

// forget ends the turn: its text is not taken back any more.
func (s *shownParts) forget() { *s = shownParts{} }

// retraction names the shown parts that the agent took back.
func (r *Renderer) retraction(t *pb.Retraction) {
	var parts []string
	for _, id := range t.GetBlockIds() {
		if text := strings.TrimSpace(r.shown.texts[id]); text != "" {
			parts = append(parts, fmt.Sprintf("%q", console.Shorten(console.Line(strings.ToValidUTF8(text, "")), shownPart)))
		}
		delete(r.shown.texts, id)
	}
	for _, id := range t.GetToolIds() {
		if tool, shown := r.shown.tools[id]; shown {
			parts = append(parts, "its call of "+console.Line(tool))
		}
		delete(r.shown.tools, id)
	}
	if len(parts) > 0 {
		r.Line("%s", r.style.Dim("(the agent took back "+strings.Join(parts, ", ")+")"))
	}
}
