package model

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
)

func words(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

func (a *answer) text(s Step, text string) error {
	return a.block(s, object{"type": "text", "text": text}, object{"type": "text", "text": ""},
		pieces(text, s.Chunk), func(piece string) object { return object{"type": "text_delta", "text": piece} })
}

func (a *answer) thinking(s Step) error {
	const signature = "c2NyaXB0ZWQ="
	full := object{"type": "thinking", "thinking": *s.Thinking, "signature": signature}
	deltas := func(yield func(string) bool) {
		for piece := range pieces(*s.Thinking, s.Chunk) {
			if !yield(piece) {
				return
			}
		}
		yield("") // the signature's turn
	}
	return a.block(s, full, object{"type": "thinking", "thinking": "", "signature": ""}, deltas, func(piece string) object {
		if piece == "" {
			return object{"type": "signature_delta", "signature": signature}
		}
		return object{"type": "thinking_delta", "thinking": piece}
	})
}

func (a *answer) tool(s Step) error {
	a.stopReason = "tool_use"
	input := s.Input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	id := a.id("toolu")
	chunk := s.Chunk
	if chunk == 0 {
		chunk = 20
	}
	return a.block(s, object{"type": "tool_use", "id": id, "name": s.Tool, "input": input},
		object{"type": "tool_use", "id": id, "name": s.Tool, "input": object{}},
		pieces(string(input), chunk), func(piece string) object {
			return object{"type": "input_json_delta", "partial_json": piece}
		})
}

// block sends one content block: empty at first, then its deltas.
func (a *answer) block(s Step, full, empty object, deltas iter.Seq[string], delta func(string) object) error {
	index := len(a.blocks)
	if err := a.send(object{"type": "content_block_start", "index": index, "content_block": empty}); err != nil {
		return err
	}
	for piece := range deltas {
		if err := a.wait(s.Delay); err != nil {
			return err
		}
		if err := a.send(object{"type": "content_block_delta", "index": index, "delta": delta(piece)}); err != nil {
			return err
		}
	}
	a.blocks = append(a.blocks, full)
	if s.Unfinished {
		return nil
	}
	return a.send(object{"type": "content_block_stop", "index": index})
}

// pieces cuts text into words, or into pieces of so many bytes; never inside a
// character.
func pieces(text string, size int) iter.Seq[string] {
	if size == 0 {
		return strings.SplitAfterSeq(text, " ")
	}
	return func(yield func(string) bool) {
		for len(text) > 0 {
			n := min(size, len(text))
			for n < len(text) && text[n]&0xc0 == 0x80 {
				n++
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}
