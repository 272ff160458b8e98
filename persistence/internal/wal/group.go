package wal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// The form of a log: groups, one behind the other.
//
//	offset  bytes
//	0       4      magic
//	4       4      CRC-32C of the header from here on and of the names
//	8       8      tag of the journal: the beginning of a SHA-256 of its lineage
//	16      8      number of the group, one more than that of the previous group
//	24      4      bytes of names
//	28      4      bytes of rows
//	32      4      CRC-32C of the rows
//	36      4      0
//	40             names: the sessions of the group
//	               rows: puts and deletions, in order
//
// Numbers are little-endian. Names are separate from rows, with a checksum of their
// own, so that a group whose rows cannot be read still names its sessions.
const groupHeader = 40

var groupMagic = []byte("bcg\x02")

// Tag distinguishes the groups of one journal from those of another.
type Tag [8]byte

// TagOf returns the tag of the journal with a lineage.
func TagOf(lineage string) (t Tag) {
	sum := sha256.Sum256([]byte(lineage))
	copy(t[:], sum[:])
	return t
}

// Owner is a session with rows in a group: its number and, if the group began
// it, its id.
type Owner struct {
	Number uint64
	ID     string
}

// Group is one group, parts of the log it was read from.
type Group struct {
	Tag    Tag
	Number uint64
	Owners []Owner
	Rows   []byte
	Raw    []byte // the bytes in place of rows that do not match their checksum
}

var castagnoliTable = crc32.MakeTable(crc32.Castagnoli)

// maxGroup bounds the names, and the rows, of a group.
const maxGroup = 1<<32 - 1

// appendGroup appends a group to a log.
func appendGroup(to []byte, g Group) []byte {
	begin := len(to)
	to = append(to, make([]byte, groupHeader)...)
	for _, n := range g.Owners {
		to = binary.AppendUvarint(to, n.Number)
		to = binary.AppendUvarint(to, uint64(len(n.ID)))
		to = append(to, n.ID...)
	}
	fillHead(to[begin:], g)
	return append(to, g.Rows...)
}

// fillHead fills the head of a group. h is the head with the names behind it.
func fillHead(h []byte, g Group) {
	copy(h, groupMagic)
	copy(h[8:], g.Tag[:])
	binary.LittleEndian.PutUint64(h[16:], g.Number)
	binary.LittleEndian.PutUint32(h[24:], uint32(len(h)-groupHeader)) //nolint:gosec // at most maxGroup
	binary.LittleEndian.PutUint32(h[28:], uint32(len(g.Rows)))        //nolint:gosec // at most maxGroup
	binary.LittleEndian.PutUint32(h[32:], crc32.Checksum(g.Rows, castagnoliTable))
	binary.LittleEndian.PutUint32(h[4:], crc32.Checksum(h[8:], castagnoliTable))
}

var (
	errNoGroup = errors.New("there is no group")
	// ErrRows comes with a group of which all but the rows is sound.
	ErrRows = errors.New("the rows of a group do not match their checksum")
)

// decodeGroup decodes the group at the beginning of a log, and returns its size.
func decodeGroup(log []byte) (g Group, size int, err error) {
	if len(log) < groupHeader || !bytes.HasPrefix(log, groupMagic) {
		return g, 0, errNoGroup
	}
	names, rows := uint64(binary.LittleEndian.Uint32(log[24:])), uint64(binary.LittleEndian.Uint32(log[28:]))
	if groupHeader+names > uint64(len(log)) {
		return g, 0, errNoGroup
	}
	body := log[groupHeader+names:]
	if binary.LittleEndian.Uint32(log[4:]) != crc32.Checksum(log[8:groupHeader+names], castagnoliTable) {
		return g, 0, errNoGroup
	}
	copy(g.Tag[:], log[8:])
	g.Number = binary.LittleEndian.Uint64(log[16:])
	if g.Owners, err = decodeNames(log[groupHeader : groupHeader+names]); err != nil {
		return g, 0, err
	}
	size = int(groupHeader + names + rows) //nolint:gosec // within the log, or not used
	if rows > uint64(len(body)) || binary.LittleEndian.Uint32(log[32:]) != crc32.Checksum(body[:rows], castagnoliTable) {
		g.Raw = body[:min(rows, uint64(len(body)))]
		return g, size, ErrRows
	}
	g.Rows = body[:rows:rows]
	return g, size, nil
}

func decodeNames(data []byte) (names []Owner, err error) {
	for len(data) > 0 {
		owner, size, ok := cutOwner(data)
		if !ok {
			return nil, errNoGroup
		}
		names, data = append(names, owner), data[size:]
	}
	return names, nil
}

// cutOwner decodes the owner at the beginning of data, and returns its length.
func cutOwner(data []byte) (o Owner, size int, ok bool) {
	number, n := binary.Uvarint(data)
	if n <= 0 {
		return o, 0, false
	}
	length, m := binary.Uvarint(data[n:])
	if m <= 0 || length > uint64(len(data)-n-m) {
		return o, 0, false
	}
	size = n + m + int(length) //nolint:gosec // not more than there is
	return Owner{number, string(data[n+m : size])}, size, true
}

// HeadSize returns the length of the head and the names of the group at the beginning of data,
// 0 if they cannot be read.
func HeadSize(data []byte) int {
	if _, _, err := decodeGroup(data); err != nil && err != ErrRows { //nolint:errorlint // it is never wrapped
		return 0
	}
	return groupHeader + int(binary.LittleEndian.Uint32(data[24:]))
}
