package talk

import (
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// finalText is the text of the last message, without retracted blocks.
type finalText struct {
	ids   []string
	texts map[string]*strings.Builder
}

func (f *finalText) reset() { f.ids, f.texts = nil, nil }

func (f *finalText) add(d *pb.TextDelta) {
	if d.GetThinking() {
		return
	}
	id := d.GetBlockId()
	at := slices.Index(f.ids, id)
	if d.GetWithdrawn() {
		if at >= 0 { // this block and those after it
			f.ids = f.ids[:at]
		}
		return
	}
	if f.texts == nil {
		f.texts = map[string]*strings.Builder{}
	}
	if at < 0 {
		f.ids = append(f.ids, id)
		f.texts[id] = &strings.Builder{}
	}
	f.texts[id].WriteString(d.GetText())
}

// retract removes retracted blocks.
func (f *finalText) retract(blocks []string) {
	f.ids = slices.DeleteFunc(f.ids, func(id string) bool { return slices.Contains(blocks, id) })
	for _, id := range blocks {
		delete(f.texts, id)
	}
}

// String returns the text, with a blank line between blocks.
func (f *finalText) String() string {
	var parts []string
	for _, id := range f.ids {
		if text := f.texts[id].String(); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}
