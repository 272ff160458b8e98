package search

import (
	"encoding/binary"
	"errors"
	"fmt"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
)

// Check reads the whole index and returns the first damage. The index must not change meanwhile.
func (x *Index) Check() error {
	return x.file.View(opSearch, func(tx *boltfile.Tx) error {
		var problem error
		endless, err := x.file.VerifyPages(tx, func(format string, args ...any) {
			if problem == nil {
				problem = fault.DamagedFile(opSearch, FileName, fmt.Errorf(format, args...))
			}
		})
		if err != nil || problem != nil || endless {
			return errors.Join(err, problem)
		}
		all, err := segments(tx)
		if err != nil {
			return err
		}
		for _, s := range all {
			if err := s.check(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// check reads all blocks of a segment.
func (s *segment) check(tx *boltfile.Tx) error {
	for _, part := range []struct {
		bucket []byte
		blocks int
	}{{bucketWords, s.Words}, {bucketDocuments, s.documentBlocks()}} {
		n := 0
		c := tx.Cursor(part.bucket)
		for key, value := c.Seek(numberKey(s.number)); s.has(key); key, value = c.Next() {
			if _, err := unstamp(part.bucket, key, value); err != nil {
				return err
			}
			n++
		}
		if n != part.blocks {
			return damaged(part.bucket, numberKey(s.number), fmt.Errorf("%d blocks of %d", n, part.blocks))
		}
	}
	return nil
}

// has reports whether a key is one of the segment's.
func (s *segment) has(key []byte) bool {
	return len(key) >= 4 && binary.BigEndian.Uint32(key) == s.number
}

func (s *segment) documentBlocks() int { return (int(s.Docs) + blockRows - 1) / blockRows }
