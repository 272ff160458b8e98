package proxied

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"betcode/messages"
)

// Window is how many lines a ledger knows, the newest. Proxies keep at most 1000 that were not acknowledged.
const Window = 1024

// hashBytes is how much of the hash of a line is kept. Two lines of one number are compared only after a proxy has lost its state,
// so 48 bits are enough, and the ledger, which is part of every append, stays small.
const hashBytes = 6

// ledgerVersion is the format of an encoded ledger.
const ledgerVersion = 1

// entry is a line that the session has.
type entry struct {
	seq  uint64
	hash [hashBytes]byte
}

// ledger has the newest lines of a proxy in the order of their numbers. The slice is never changed after it was returned.
type ledger []entry

// take adds a line and reports whether it is new. A number up to the newest one with another content begins a new count: the proxy
// has lost its state, so the lines from that number on are forgotten. Lines below it stay known, for a proxy that has lost only
// the end of its state.
func (l ledger) take(seq uint64, line []byte) (ledger, bool) {
	e := entry{seq: seq}
	sum := sha256.Sum256(line)
	copy(e.hash[:], sum[:])
	at, found := slices.BinarySearchFunc(l, seq, func(e entry, seq uint64) int {
		switch {
		case e.seq < seq:
			return -1
		case e.seq > seq:
			return 1
		}
		return 0
	})
	if found && l[at].hash == e.hash {
		return l, false
	}
	kept := l[:at]
	if len(kept) >= Window {
		kept = kept[len(kept)-Window+1:]
	}
	return append(slices.Clip(kept), e), true
}

// marshal encodes the ledger: a version, then for each line the distance to the number before it and the hash.
func (l ledger) marshal() []byte {
	if len(l) == 0 {
		return nil
	}
	b := make([]byte, 0, 1+binary.MaxVarintLen64+len(l)*(1+hashBytes))
	b = append(b, ledgerVersion)
	last := uint64(0)
	for _, e := range l {
		b = binary.AppendUvarint(b, e.seq-last)
		b = append(b, e.hash[:]...)
		last = e.seq
	}
	return b
}

// parseLedger decodes what marshal gave.
func parseLedger(b []byte) (ledger, error) {
	const op = "parse ledger of lines"
	if len(b) == 0 {
		return nil, nil
	}
	if b[0] != ledgerVersion {
		return nil, messages.Errorf(op, messages.Unimplemented, "version %d, this program knows %d", b[0], ledgerVersion).
			WithHint("The journal was written by a newer version; run that one.")
	}
	var l ledger
	last := uint64(0)
	for b = b[1:]; len(b) > 0; {
		step, n := binary.Uvarint(b)
		if n <= 0 || len(b) < n+hashBytes || len(l) == Window || len(l) > 0 && (step == 0 || last+step < last) {
			return nil, messages.Errorf(op, messages.DataLoss, "malformed after %d lines", len(l))
		}
		e := entry{seq: last + step}
		copy(e.hash[:], b[n:])
		l, last, b = append(l, e), e.seq, b[n+hashBytes:]
	}
	return l, nil
}
