package transcript

import "slices"

// Take returns the rows that are finished and were not returned before, for output that scrolls away, and drops them.
func (t *Transcript) Take(width int) []string {
	var out []string
	for len(t.blocks) > 0 {
		b := t.blocks[0]
		if b.kind != prosaic {
			out = append(t.gap(out, b), t.rows(b, width)...)
			if b.kind == toolCall {
				t.lastCall = b.id
			}
			t.blocks = t.blocks[1:]
			continue
		}
		for ; b.printed < len(b.prose.chunks); b.printed++ {
			out = append(t.gap(out, b), b.prose.chunks[b.printed].rows(bool(t.options.Style), width)...)
		}
		if !b.closed {
			break
		}
		t.blocks = t.blocks[1:]
	}
	return out
}

// gap puts a blank row between blocks, but not between calls or notes.
func (t *Transcript) gap(out []string, b *block) []string {
	before := t.taken
	t.taken = b.kind
	if before == b.kind && b.kind != prosaic && b.kind != message || b.kind == note && before != message || b.kind == toolCall && b.call == nil {
		return out
	}
	return append(out, "")
}

// Live returns the last rows of the unfinished part.
func (t *Transcript) Live(width, height int) []string {
	var out []string
	for _, b := range t.blocks {
		if b.kind != prosaic {
			continue
		}
		for i := min(b.printed, len(b.prose.chunks)); i < len(b.prose.chunks); i++ {
			out = append(join(out), b.prose.chunks[i].rows(bool(t.options.Style), width)...)
		}
		out = append(out, b.prose.tailRows(bool(t.options.Style), width, len(out) > 0)...)
	}
	return out[max(len(out)-height, 0):]
}

// Window returns rows for a screen that ends offset rows above the last one, and the offset, which is bounded by the first row.
func (t *Transcript) Window(width, height, offset int) (rows []string, at int) {
	var out []string // reversed
	wanted := height + offset
	for i, b := range slices.Backward(t.blocks) {
		if len(out) >= wanted {
			break
		}
		lines := t.rows(b, width)
		for _, line := range slices.Backward(lines) {
			out = append(out, line)
		}
		if i > 0 && len(lines) > 0 && spaced(t.blocks[i-1], b) {
			out = append(out, "")
		}
	}
	offset = max(min(offset, len(out)-height), 0)
	out = out[min(offset, len(out)):min(offset+height, len(out))]
	slices.Reverse(out)
	return out, offset
}

// spaced reports whether a blank row separates two blocks.
func spaced(a, b *block) bool {
	if a.kind == note && b.kind == note || a.kind == toolCall && b.kind == toolCall {
		return false
	}
	return b.kind != note || a.kind == message
}

// Dropped reports whether the beginning is not shown any more, because there is too much.
func (t *Transcript) Dropped() bool { return t.dropped }
