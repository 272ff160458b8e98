package persistence

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// The form of a log, without the files: groups, one behind the other.
//
//	offset  bytes
//	0       4      magic
//	4       4      CRC-32C of the header from here on and of the names
//	8       8      which journal: the beginning of a SHA-256 of its lineage
//	16      8      number of the group, one more than that of the group before
//	24      4      bytes of names
//	28      4      bytes of rows
//	32      4      CRC-32C of the rows
//	36      4      0
//	40             names: whose sessions the group is about
//	               rows: what is put and deleted, in order
//
// Numbers are little-endian. Names are apart from rows, with a checksum of their
// own, so that it can be told whose group it is that cannot be read.
const groupHeader = 40

var groupMagic = []byte("bcg\x02")

// journalTag tells the groups of one journal from those of another.
type journalTag [8]byte

func tagOf(lineage string) (t journalTag) {
	sum := sha256.Sum256([]byte(lineage))
	copy(t[:], sum[:])
	return t
}

// owner is a session that a group is about: its number and, if the group began
// it, its id.
type owner struct {
	number uint64
	id     string
}

// logGroup is one group, parts of the log it was read from.
type logGroup struct {
	tag    journalTag
	number uint64
	owners []owner
	rows   []byte
	raw    []byte // what is in the place of rows that do not match their checksum
}

// maxGroup bounds the names, and the rows, of a group.
const maxGroup = 1<<32 - 1

// appendGroup appends a group to a log.
func appendGroup(to []byte, g logGroup) []byte {
	begin := len(to)
	to = append(to, make([]byte, groupHeader)...)
	for _, n := range g.owners {
		to = binary.AppendUvarint(to, n.number)
		to = binary.AppendUvarint(to, uint64(len(n.id)))
		to = append(to, n.id...)
	}
	h, names := to[begin:], len(to)-begin-groupHeader
	copy(h, groupMagic)
	copy(h[8:], g.tag[:])
	binary.LittleEndian.PutUint64(h[16:], g.number)
	binary.LittleEndian.PutUint32(h[24:], uint32(names))       //nolint:gosec // at most maxGroup
	binary.LittleEndian.PutUint32(h[28:], uint32(len(g.rows))) //nolint:gosec // at most maxGroup
	binary.LittleEndian.PutUint32(h[32:], crc32.Checksum(g.rows, castagnoli))
	binary.LittleEndian.PutUint32(h[4:], crc32.Checksum(h[8:], castagnoli))
	return append(to, g.rows...)
}

var (
	errNoGroup = errors.New("there is no group")
	// errGroupRows comes with a group of which all but the rows is sound.
	errGroupRows = errors.New("the rows of a group do not match their checksum")
)

// decodeGroup reads the group that a log begins with, and returns its size.
func decodeGroup(log []byte) (g logGroup, size int, err error) {
	if len(log) < groupHeader || !bytes.HasPrefix(log, groupMagic) {
		return g, 0, errNoGroup
	}
	names, rows := uint64(binary.LittleEndian.Uint32(log[24:])), uint64(binary.LittleEndian.Uint32(log[28:]))
	if groupHeader+names > uint64(len(log)) {
		return g, 0, errNoGroup
	}
	body := log[groupHeader+names:]
	if binary.LittleEndian.Uint32(log[4:]) != crc32.Checksum(log[8:groupHeader+names], castagnoli) {
		return g, 0, errNoGroup
	}
	copy(g.tag[:], log[8:])
	g.number = binary.LittleEndian.Uint64(log[16:])
	if g.owners, err = decodeNames(log[groupHeader : groupHeader+names]); err != nil {
		return g, 0, err
	}
	size = int(groupHeader + names + rows) //nolint:gosec // within the log, or not used
	if rows > uint64(len(body)) || binary.LittleEndian.Uint32(log[32:]) != crc32.Checksum(body[:rows], castagnoli) {
		g.raw = body[:min(rows, uint64(len(body)))]
		return g, size, errGroupRows
	}
	g.rows = body[:rows:rows]
	return g, size, nil
}

func decodeNames(data []byte) (names []owner, err error) {
	for len(data) > 0 {
		number, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errNoGroup
		}
		id, rest, ok := cutBytes(data[n:])
		if !ok {
			return nil, errNoGroup
		}
		names, data = append(names, owner{number, string(id)}), rest
	}
	return names, nil
}

// cutBytes takes bytes with their length before them off the front of data.
func cutBytes(data []byte) (value, rest []byte, ok bool) {
	length, n := binary.Uvarint(data)
	if n <= 0 || length > uint64(len(data)-n) {
		return nil, nil, false
	}
	end := n + int(length) //nolint:gosec // not more than there is
	return data[n:end:end], data[end:], true
}

// appendRow appends what is put under a key, or that it is deleted.
func appendRow(to []byte, c *cell) []byte {
	put := byte(0)
	if c.value != nil {
		put = 1
	}
	to = append(to, c.bucket<<1|put)
	to = binary.AppendUvarint(to, uint64(len(c.key)))
	to = append(to, c.key...)
	if put == 1 {
		to = binary.AppendUvarint(to, uint64(len(c.value)))
		to = append(to, c.value...)
	}
	return to
}

// decodeRows reads what appendRow made. Nothing that do gets aliases data.
func decodeRows(data []byte, do func(*cell)) error {
	for len(data) > 0 {
		c := &cell{bucket: data[0] >> 1}
		if int(c.bucket) >= len(buckets) {
			return fmt.Errorf("there is no bucket %d", c.bucket)
		}
		put := data[0]&1 == 1
		key, rest, ok := cutBytes(data[1:])
		if !ok {
			return errShort
		}
		if c.key = bytes.Clone(key); put {
			var value []byte
			if value, rest, ok = cutBytes(rest); !ok {
				return errShort
			}
			c.value = append(make([]byte, 0, len(value)), value...) // not nil, were it empty
		}
		do(c)
		data = rest
	}
	return nil
}
