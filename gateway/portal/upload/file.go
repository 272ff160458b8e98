package upload

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"betcode/gateway/portal/wire"
)

// Bounds of a file.
const (
	maxPieces   = 65_536
	maxName     = 100
	maxIDBytes  = 256
	maxTypeName = 256
)

var (
	errPieces    = errors.New("the number of its pieces is out of range")
	errAnnounced = errors.New("its pieces differ from the announcement")
	errNames     = errors.New("its id or its type is too long")
)

// File is a file that is being received.
type File struct {
	ID   string
	Name string // as of [Name]
	Type string // as announced

	pieces map[uint32][]byte
	count  uint32
	size   uint64
	got    uint64
}

// Start begins a file of at most most bytes.
func Start(m wire.FileUploadStart, most uint64) (*File, error) {
	switch {
	case m.TotalSize > most:
		return nil, fmt.Errorf("it has more than %d MiB", most>>20)
	case m.TotalChunks > maxPieces || m.TotalChunks == 0 || uint64(m.TotalChunks) > max(m.TotalSize, 1): // each piece takes extra memory
		return nil, errPieces
	case len(m.UploadID) > maxIDBytes || len(m.ContentType) > maxTypeName:
		return nil, errNames
	}
	return &File{ID: m.UploadID, Name: Name(m.Filename), Type: m.ContentType, pieces: map[uint32][]byte{}, count: m.TotalChunks, size: m.TotalSize}, nil
}

// Add adds a piece. With the last piece it returns the content; an error ends the file. A piece of another
// file, or a repeated one, has no effect.
func (f *File) Add(m wire.FileUploadChunk) (content []byte, complete bool, err error) {
	if m.UploadID != f.ID || f.pieces[m.Index] != nil {
		return nil, false, nil
	}
	f.got += uint64(len(m.Data))
	if m.Index >= f.count || f.got > f.size {
		return nil, false, errAnnounced
	}
	if f.pieces[m.Index] = m.Data; m.Data == nil {
		f.pieces[m.Index] = []byte{}
	}
	if uint32(len(f.pieces)) < f.count { //nolint:gosec // at most maxPieces
		return nil, false, nil
	}
	if f.got != f.size {
		return nil, false, errAnnounced
	}
	content = make([]byte, 0, f.size)
	for i := range f.count {
		content = append(content, f.pieces[i]...)
	}
	clear(f.pieces) // free the pieces
	return content, true, nil
}

// Name returns a safe name for a file: the last element of name, reduced to visible letters, digits and a few signs. It
// begins with neither a dot nor a dash, since programs take such names for options.
func Name(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		visible := !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) // some letters are invisible
		if visible && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("._-+=@", r) {
			return r
		}
		return '_'
	}, strings.ToValidUTF8(name, "_"))
	if name = strings.TrimLeft(name, ".-"); len(name) > maxName { // keep the end, which has the extension
		name = strings.TrimLeft(strings.ToValidUTF8(name[len(name)-maxName:], ""), ".-")
	}
	if name == "" {
		return "file"
	}
	return name
}
