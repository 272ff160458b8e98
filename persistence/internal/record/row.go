package record

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
)

// Row is one row that a commit put or deleted. It is never changed.
type Row struct {
	Bucket byte // index in Buckets
	Key    []byte
	Value  []byte // nil = deleted
}

// Before orders rows by bucket and key.
func (c *Row) Before(other *Row) bool {
	if order := cmp.Compare(c.Bucket, other.Bucket); order != 0 {
		return order < 0
	}
	return bytes.Compare(c.Key, other.Key) < 0
}

// AppendRow appends the form of a row: the value under a key, or its deletion.
func AppendRow(to []byte, c *Row) []byte {
	put := byte(0)
	if c.Value != nil {
		put = 1
	}
	to = append(to, c.Bucket<<1|put)
	to = binary.AppendUvarint(to, uint64(len(c.Key)))
	to = append(to, c.Key...)
	if put == 1 {
		to = binary.AppendUvarint(to, uint64(len(c.Value)))
		to = append(to, c.Value...)
	}
	return to
}

// DecodeRows decodes rows of AppendRow. The arguments of do do not alias data.
func DecodeRows(data []byte, do func(*Row)) error {
	for len(data) > 0 {
		c := &Row{Bucket: data[0] >> 1}
		if int(c.Bucket) >= len(Buckets) {
			return fmt.Errorf("there is no bucket %d", c.Bucket)
		}
		put := data[0]&1 == 1
		key, rest, ok := CutBytes(data[1:])
		if !ok {
			return errShort
		}
		if c.Key = bytes.Clone(key); put {
			var value []byte
			if value, rest, ok = CutBytes(rest); !ok {
				return errShort
			}
			c.Value = append(make([]byte, 0, len(value)), value...) // not nil, even if it is empty
		}
		do(c)
		data = rest
	}
	return nil
}

// CutBytes decodes bytes with their length before them from the front of data.
func CutBytes(data []byte) (value, rest []byte, ok bool) {
	length, n := binary.Uvarint(data)
	if n <= 0 || length > uint64(len(data)-n) {
		return nil, nil, false
	}
	end := n + int(length) //nolint:gosec // not more than there is
	return data[n:end:end], data[end:], true
}

// SoundRows reports whether rows can be read and match their own checksums.
func SoundRows(rows []byte) bool {
	sound := true
	err := DecodeRows(rows, func(c *Row) {
		if c.Value == nil {
			return
		}
		if _, err := Unstamp(c.Key, c.Value); err != nil {
			sound = false
		}
	})
	return err == nil && sound
}

// Payload returns the payload that the row refers to, if its value is out of line.
func (c *Row) Payload() (id PayloadID, ok bool) {
	if len(c.Value) == 0 || c.Value[0] != outOfLineTag || !MayBePayload(Buckets[c.Bucket]) {
		return id, false
	}
	body, err := Unstamp(c.Key, c.Value)
	if err != nil {
		return id, false
	}
	id, _, ok, err = Referenced(body)
	return id, ok && err == nil
}
