package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
	"slices"
)

// mendNames bounds the names of a group in which a flipped bit is searched, because the search
// takes time that grows with their square.
const mendNames = 4 << 10

// RowCheck reports whether rows can be read and match the checksums within them. The
// log itself does not know the form of rows.
type RowCheck func(rows []byte) bool

// mendGroup reads the group at the beginning of a log although one bit of it is flipped. A
// checksum identifies the bit: of all groups that differ by one bit, only one matches
// it. A group with more damage, or a torn one, matches none; rows that match
// by chance are refused, since each row has a checksum of its own.
//
// expected reports whether a group may have this journal and number.
func mendGroup(log []byte, expected func(Group) bool, sound RowCheck) (g Group, size int, ok bool) {
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

// rowsOf returns the number of bytes of rows in the head of a group.
func rowsOf(head []byte) int { return int(binary.LittleEndian.Uint32(head[28:])) }

// mendHead returns head and names of a group with the one bit flipped back that makes
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

// splits calls try with each way in which the bytes behind a lost head can be
// names and rows, until try returns true. The names of a group are not empty.
func splits(group []byte, try func(owners []Owner, rows []byte) bool) {
	var owners []Owner
	names := group[:min(len(group), groupHeader+mendNames)]
	for at := min(groupHeader, len(names)); at < len(names); {
		owner, size, ok := cutOwner(names[at:])
		if !ok {
			return
		}
		owners, at = append(owners, owner), at+size
		if try(owners, group[at:]) {
			return
		}
	}
}

// rebuildHead reads a group with a damaged head, if the checksum of the head is
// sound. The place of the group determines its journal, number and length; rebuildHead tries how
// many bytes are names. The checksum covers all of these and the checksum of the rows, so it
// proves the head that matches, and with it the rows.
func rebuildHead(group []byte, tag Tag, number uint64, sound RowCheck) (g Group, ok bool) {
	if len(group) < groupHeader {
		return g, false
	}
	splits(group, func(owners []Owner, rows []byte) bool {
		head := make([]byte, groupHeader, groupHeader+mendNames)
		head = append(head, group[groupHeader:len(group)-len(rows)]...)
		fillHead(head, Group{Tag: tag, Number: number, Rows: rows})
		if ok = binary.LittleEndian.Uint32(head[4:]) == binary.LittleEndian.Uint32(group[4:]) && sound(rows); ok {
			g = Group{Tag: tag, Number: number, Owners: slices.Clone(owners), Rows: rows[:len(rows):len(rows)]}
		}
		return ok
	})
	return g, ok
}

// Rebuild reads a group whose head is lost, including its checksum. proven reports whether
// names and rows are what was written; summed is true if the rows match the checksum
// in the head. The group is returned only if exactly one way to split it
// is proven.
func Rebuild(group []byte, tag Tag, number uint64, proven func(owners []Owner, rows []byte, summed bool) bool) (g Group, ok bool) {
	if len(group) < groupHeader {
		return g, false
	}
	found := 0
	splits(group, func(owners []Owner, rows []byte) bool {
		summed := binary.LittleEndian.Uint32(group[32:]) == crc32.Checksum(rows, castagnoliTable)
		if proven(owners, rows, summed) {
			found++
			g = Group{Tag: tag, Number: number, Owners: slices.Clone(owners), Rows: rows[:len(rows):len(rows)]}
		}
		return found > 1
	})
	return g, found == 1
}

// mendRows returns rows with the one bit flipped back that makes them match their
// checksum. The change that a flipped bit makes to a checksum depends only on its
// distance from the end.
func mendRows(rows []byte, sum uint32, sound RowCheck) ([]byte, bool) {
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
