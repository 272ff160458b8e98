package record

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// Position is the position of a session's history in a journal file.
type Position struct {
	Head      messages.Seq // number of the newest event
	Base      messages.Seq // number of the last event before the file
	Chain     Link         // of the history up to Head
	BaseChain Link         // of the history up to Base
	Bytes     uint64       // of the events up to Head, as far as they were counted
	BaseBytes uint64       // of those up to Base
}

// StoreCursor encodes the positions up to which a session's history and its spool are stored.
func StoreCursor(e Position, c *messages.Cursor) *storev1.Cursor {
	return &storev1.Cursor{
		Version:    RecordVersion,
		Head:       uint64(e.Head),
		Base:       uint64(e.Base),
		Run:        uint64(c.Run),
		Offset:     c.Offset,
		Translator: c.Translator,
		Lines:      c.Lines,
		Chain:      e.Chain.Bytes(),
		BaseChain:  e.BaseChain.Bytes(),
		Bytes:      e.Bytes,
		BaseBytes:  e.BaseBytes,
	}
}

// LoadCursor decodes the spool's part of a cursor.
func LoadCursor(c *storev1.Cursor) messages.Cursor {
	return messages.Cursor{Run: messages.RunNumber(c.GetRun()), Offset: c.GetOffset(), Translator: c.GetTranslator(), Lines: c.GetLines()}
}

// Begins returns the number of the event after which a session's history in a file begins.
func Begins(c *storev1.Cursor) uint64 { return max(c.GetBase(), c.GetDropped()) }

// BeginsWith returns the chain of that event.
func BeginsWith(c *storev1.Cursor) Link {
	if c.GetDropped() > c.GetBase() {
		return LoadLink(c.GetDroppedChain())
	}
	return LoadLink(c.GetBaseChain())
}
