package recovery

import (
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/wal"
)

// scanRows finds rows in a part of a log whose groups cannot be read. Each row that puts
// a value has a checksum of key and value, so the rows it finds are what was written.
// Rows that delete have none, and are not found. explained is how many bytes belong to
// found rows, or to heads of groups.
func scanRows(data []byte) (rows []*record.Row, explained int) {
	for at := 0; at < len(data); {
		if c, size := scanRow(data[at:]); c != nil {
			rows, explained = append(rows, c), explained+size
			at += size
			continue
		}
		if size := wal.HeadSize(data[at:]); size > 0 {
			explained += size
			at += size
			continue
		}
		at++
	}
	return rows, explained
}

// scanRow decodes the row at the beginning of data, nil if there is none that puts a value
// and matches its checksum. It does not alias data.
func scanRow(data []byte) (c *record.Row, size int) {
	code := data[0] >> 1
	if int(code) >= len(record.Buckets) || data[0]&1 == 0 {
		return nil, 0
	}
	key, rest, ok := record.CutBytes(data[1:])
	if !ok || len(key) == 0 || len(key) > 8+record.MaxName {
		return nil, 0
	}
	value, rest, ok := record.CutBytes(rest)
	if !ok {
		return nil, 0
	}
	if _, err := record.Unstamp(key, value); err != nil {
		return nil, 0
	}
	found := &record.Row{Bucket: code, Key: append([]byte(nil), key...), Value: append([]byte(nil), value...)}
	return found, len(data) - len(rest)
}
