package lines

import (
	"strings"

	pb "betcode/proto/betcode/v1"
)

// maxOpenBlocks bounds the blocks in progress; agents stream only a few at a time.
const maxOpenBlocks = 1000

// delta collects a block, and adds a line at its end.
func (w *Writer) delta(d *pb.TextDelta) {
	key := w.at.GetParentToolUseId() + "\n" + d.GetBlockId()
	if d.GetWithdrawn() {
		w.withdraw(d.GetBlockId())
		return
	}
	text := w.blocks[key]
	if text == nil {
		if len(w.blocks) >= maxOpenBlocks {
			clear(w.blocks)
		}
		text = &strings.Builder{}
		w.blocks[key] = text
	}
	text.WriteString(d.GetText())
	text.WriteString(d.GetThinkingText())
	if !d.GetIsComplete() {
		return
	}
	delete(w.blocks, key)
	whole := text.String()
	switch message, _, _ := strings.Cut(d.GetBlockId(), "/"); {
	case whole == "":
	case d.GetThinking():
		w.assistant(message, thinkingBlock{"thinking", whole, ""})
	default:
		w.assistant(message, textBlock{"text", whole})
		if w.at.GetParentToolUseId() == "" {
			w.answer = &whole
		}
	}
}

// withdraw drops the open blocks of a message.
func (w *Writer) withdraw(block string) {
	message, _, _ := strings.Cut(block, "/")
	for key := range w.blocks {
		if strings.HasPrefix(key, w.at.GetParentToolUseId()+"\n"+message+"/") {
			delete(w.blocks, key)
		}
	}
}
