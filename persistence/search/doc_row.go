package search

import (
	"encoding/binary"
	"slices"
	"time"

	"betcode/messages"
	"betcode/persistence/search/internal/document"
)

// row is the stored form of a document, without its words.
type row struct {
	session uint32 // its place
	tool    uint16 // its place, from 1; 0 = none
	kind    uint8  // place in messages.SearchKinds
	seq     messages.Seq
	at      int64  // milliseconds
	words   uint32 // number of its words
}

const (
	rowBytes  = 4 + 2 + 1 + 8 + 8 + 4
	blockRows = 512
)

func (r row) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, r.session)
	dst = binary.BigEndian.AppendUint16(dst, r.tool)
	dst = append(dst, r.kind)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.seq))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.at)) //nolint:gosec // read back the same way
	return binary.BigEndian.AppendUint32(dst, r.words)
}

// parseRow parses the row at the beginning of a block, which must be long enough.
func parseRow(block []byte) row {
	return row{
		session: binary.BigEndian.Uint32(block), tool: binary.BigEndian.Uint16(block[4:]), kind: block[6],
		seq: messages.Seq(binary.BigEndian.Uint64(block[7:])),
		at:  int64(binary.BigEndian.Uint64(block[15:])), words: binary.BigEndian.Uint32(block[23:]), //nolint:gosec // as it was stored
	}
}

func (r row) time() time.Time { return time.UnixMilli(r.at).UTC() }

func (r row) kindOf() messages.SearchKind {
	if int(r.kind) < len(messages.SearchKinds) {
		return messages.SearchKinds[r.kind]
	}
	return ""
}

func kindPlace(kind messages.SearchKind) uint8 {
	return uint8(max(slices.Index(messages.SearchKinds, kind), 0)) //nolint:gosec // there are few
}

// rowOf returns the row of a document, without its number of words.
func rowOf(d document.Document, session uint32, tool uint16) row {
	return row{session: session, tool: tool, kind: kindPlace(d.Kind), seq: d.Seq, at: d.At.UnixMilli()}
}
