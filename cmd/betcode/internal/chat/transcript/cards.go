package transcript

import (
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// The calls of tools are cards: one is chosen and unfolded by itself, and all of them together.

// Choose moves the choice among the calls: by a negative number to older ones, from the newest at the beginning. It reports
// whether there is one.
func (t *Transcript) Choose(by int) bool {
	var cards []*block
	at := -1
	for _, b := range t.blocks {
		if b.kind != toolCall || b.gone {
			continue
		}
		if b == t.chosen {
			at = len(cards)
		}
		cards = append(cards, b)
	}
	if len(cards) == 0 {
		return false
	}
	if at < 0 && by > 0 {
		at = -1
	} else if at < 0 {
		at = len(cards)
	}
	t.choose(cards[(at+by+len(cards))%len(cards)])
	return true
}

// Chosen reports whether a call is chosen.
func (t *Transcript) Chosen() bool { return t.chosen != nil }

// Unchoose ends the choice.
func (t *Transcript) Unchoose() { t.choose(nil) }

func (t *Transcript) choose(b *block) {
	for _, o := range []*block{t.chosen, b} {
		if o != nil {
			o.forget()
		}
	}
	t.chosen = b
}

// Toggle unfolds the chosen call, or folds it again: its output, and its difference. Without a choice it is the newest call.
func (t *Transcript) Toggle() {
	if t.chosen == nil && !t.Choose(-1) {
		return
	}
	t.chosen.open = !t.chosen.open
	t.chosen.forget()
}

// Unfold shows the whole output of tools, or folds it again.
func (t *Transcript) Unfold(open bool) {
	for _, b := range t.blocks {
		if b.kind == toolCall || b.kind == message {
			b.open = open
			b.forget()
		}
	}
}

// Above returns how many rows there are from the first row of the chosen call to the end; 0 if none is chosen.
func (t *Transcript) Above(width int) int { return t.above(t.chosen, width) }

// above returns how many rows there are from the first row of a block to the end; 0 if it is not shown.
func (t *Transcript) above(b *block, width int) int {
	at := slices.Index(t.blocks, b)
	if b == nil || at < 0 {
		return 0
	}
	return t.from(at, width)
}

// Height returns how many rows there are.
func (t *Transcript) Height(width int) int { return t.from(0, width) }

// from returns how many rows there are from a block on.
func (t *Transcript) from(at, width int) (rows int) {
	for i := at; i < len(t.blocks); i++ {
		n := len(t.rows(t.blocks[i], width))
		if i > at && n > 0 && spaced(t.blocks[i-1], t.blocks[i]) {
			rows++
		}
		rows += n
	}
	return rows
}

// Hit marks the block that an event belongs to, and unfolds it. If the event is the result of a call it marks the line of the output
// that has words. It reports whether the block is still there.
func (t *Transcript) Hit(sequence uint64, words string) bool {
	var found *block
	for _, b := range t.blocks {
		if b.sequence > 0 && b.sequence <= sequence && (found == nil || b.sequence >= found.sequence) || b.ended == sequence {
			found = b
		}
	}
	for _, o := range []*block{t.hit, found} {
		if o != nil {
			o.forget()
		}
	}
	t.hit, t.hitLine, t.hitRow = found, -1, 0
	if found == nil {
		return false
	}
	if found.result != nil && (found.ended == sequence || found.call == nil) {
		t.hitLine = lineOf(found.result.GetOutput(), words)
	}
	found.open = true
	return true
}

// rowsBefore is how many rows are shown before a marked line.
const rowsBefore = 2

// AboveHit returns how many rows there are from a little before the marked line to the end; without one from the first row of the
// marked block.
func (t *Transcript) AboveHit(width int) int {
	above := t.above(t.hit, width)
	return above - max(t.hitRow-rowsBefore, 0)
}

// lineOf returns the line of a text, from 0, in which words begin, and -1 if it does not have them. Runs of spaces and ends of lines
// count as one space.
func lineOf(text, words string) int {
	if words == "" {
		return -1
	}
	var squeezed strings.Builder
	var ends []int // of the lines, in squeezed
	for line := range strings.SplitSeq(text, "\n") {
		for _, field := range strings.Fields(line) {
			squeezed.WriteString(field + " ")
		}
		ends = append(ends, squeezed.Len())
	}
	at := strings.Index(squeezed.String(), words)
	if at < 0 {
		return -1
	}
	return slices.IndexFunc(ends, func(end int) bool { return at < end })
}

// resolved marks a call that a person edited before allowing it: its card shows the agent's request. A printed card stays
// unchanged; the line of the decision below it shows the call that ran.
func (t *Transcript) resolved(r *pb.PermissionResolved) {
	call := t.requests[r.GetRequestId()]
	delete(t.requests, r.GetRequestId())
	if b := t.find(call, toolCall); b != nil && r.GetDecision() == pb.PermissionDecision_ALLOW_WITH_EDIT {
		b.edited = true
		b.forget()
	}
}
