//go:build !unix

package persistence

import (
	"io"
	"os"
)

// mapped returns the first bytes of a file.
func mapped(f *os.File, size int64) (data []byte, unmap func(), err error) {
	data = make([]byte, size)
	_, err = f.ReadAt(data, 0)
	if err == io.EOF {
		err = nil
	}
	return data, func() {}, err
}
