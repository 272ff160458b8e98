package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
	"slices"
)

// mendNames bounds the names of a group of which a flipped bit is searched: the search
// takes time that grows with their square.
const mendNames = 4 << 10

// rowCheck reports whether rows can be read and match the checksums within them. The
// log itself does not know what rows are.
type rowCheck func(rows []byte) bool

// mendGroup reads the group that a log begins with although one bit of it is flipped.
// A checksum tells which: of all groups that differ from this one by a bit, one alone
// matches it. A group of which more is damaged, or which a crash tore, matches none;
// rows that match by chance are refused since each row has a checksum of its own.
//
// expected reports whether a group may have this journal and number.
func mendGroup(log []byte, expected func(Group) bool, sound rowCheck) (g Group, size int, ok bool) {
	if len(log) < groupHeader || bits.OnesCount32(binary.BigEndian.Uint32(log)^binary.BigEndian.Uint32(groupMagic)) > 1 {
		return g, 0, false
	}
	g, size, err := decodeGroup(log)
	switch {
	case err == nil:
		return g, size, expected(g)
	case errors.Is(err, ErrRows):
		if !expected(g) || size > len(log) {
			return g, 0, false
		}
		g.Raw = nil
		sum := binary.LittleEndian.Uint32(log[32:])
		g.Rows, ok = mendRows(log[size-rowsOf(log):size], sum, sound)
		return g, size, ok
	}
	head := mendHead(log)
	if head == nil {
		return g, 0, false
	}
	g, size, err = decodeGroup(slices.Concat(head, log[len(head):]))
	return g, size, err == nil && expected(g)
}

// rowsOf returns how many bytes of rows the head of a group says there are.
func rowsOf(head []byte) int { return int(binary.LittleEndian.Uint32(head[28:])) }

// mendHead returns head and names of a group with the one bit turned back that makes
// them match their checksum, nil if no bit does.
func mendHead(log []byte) []byte {
	trial := bytes.Clone(log[:min(len(log), groupHeader+mendNames)])
	length := func() int { return groupHeader + int(binary.LittleEndian.Uint32(trial[24:])) }
	for bit := 0; bit < 8*max(groupHeader, min(length(), len(trial))); bit++ {
		trial[bit/8] ^= 1 << (bit % 8)
		n := length()
		if n <= len(trial) && bytes.HasPrefix(trial, groupMagic) &&
			binary.LittleEndian.Uint32(trial[4:]) == crc32.Checksum(trial[8:n], castagnoliTable) {
			return trial[:n:n]
		}
		trial[bit/8] ^= 1 << (bit % 8)
	}
	return nil
}

// mendRows returns rows with the one bit turned back that makes them match their
// checksum. What a flipped bit changes of a checksum depends on nothing but its
// distance from the end.
func mendRows(rows []byte, sum uint32, sound rowCheck) ([]byte, bool) {
	wrong := crc32.Checksum(rows, castagnoliTable) ^ sum
	var change [8]uint32 // of the bits of a byte
	for bit := range change {
		change[bit] = castagnoliTable[1<<bit]
	}
	for at := len(rows) - 1; at >= 0; at-- {
		for bit, c := range change {
			if c == wrong {
				mended := bytes.Clone(rows)
				mended[at] ^= 1 << bit
				return mended, sound(mended)
			}
			change[bit] = castagnoliTable[byte(c)] ^ c>>8
		}
	}
	return nil, false
}
