package main

import (
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// shownPart is the length in bytes of the beginning of a text by which a person
// recognises it.
const shownPart = 60

// shownParts is what a screen that only grows has shown of the running turn: the
// beginning of each block of text and the names of the tools, by id.
type shownParts struct{ texts, tools map[string]string }

// text notes a piece of a block.
func (s *shownParts) text(block, piece string) {
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	if known := s.texts[block]; len(known) <= shownPart {
		s.texts[block] = known + piece[:min(len(piece), 4*shownPart)]
	}
}

// call notes a tool call.
func (s *shownParts) call(id, tool string) {
	if s.tools == nil {
		s.tools = map[string]string{}
	}
	s.tools[id] = tool
}

// forget is for the end of a turn: what it has said stays.
func (s *shownParts) forget() { *s = shownParts{} }

// retraction says what on the screen no longer counts. What was never shown is not
// mentioned.
func (r *renderer) retraction(t *pb.Retraction) {
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
		r.line("%s", r.style.Dim("(the agent took back "+strings.Join(parts, ", ")+")"))
	}
}
