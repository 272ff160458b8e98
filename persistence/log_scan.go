package persistence

import "encoding/binary"

// scanRows finds rows in a part of a log whose groups cannot be read. Each row that puts
// a value carries a checksum of key and value, so what is found is what was written.
// Rows that delete carry none, and are not found. explained is how many bytes belong to
// rows that were found, or to heads of groups.
func scanRows(data []byte) (rows []*cell, explained int) {
	for at := 0; at < len(data); {
		if c, size := scanRow(data[at:]); c != nil {
			rows, explained = append(rows, c), explained+size
			at += size
			continue
		}
		if size := scanHead(data[at:]); size > 0 {
			explained += size
			at += size
			continue
		}
		at++
	}
	return rows, explained
}

// scanRow reads the row that data begins with, nil if there is none that puts a value
// and matches its checksum. Nothing of it aliases data.
func scanRow(data []byte) (c *cell, size int) {
	code := data[0] >> 1
	if int(code) >= len(buckets) || data[0]&1 == 0 {
		return nil, 0
	}
	key, rest, ok := cutBytes(data[1:])
	if !ok || len(key) == 0 || len(key) > 8+maxName {
		return nil, 0
	}
	value, rest, ok := cutBytes(rest)
	if !ok {
		return nil, 0
	}
	if _, err := unstamp(key, value); err != nil {
		return nil, 0
	}
	found := &cell{bucket: code, key: append([]byte(nil), key...), value: append([]byte(nil), value...)}
	return found, len(data) - len(rest)
}

// scanHead returns the length of the head and the names of the group that data begins
// with, 0 if they cannot be read.
func scanHead(data []byte) int {
	if _, _, err := decodeGroup(data); err != nil && err != errGroupRows { //nolint:errorlint // it is never wrapped
		return 0
	}
	return groupHeader + int(binary.LittleEndian.Uint32(data[24:]))
}
