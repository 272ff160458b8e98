package proxy

import (
	"fmt"
	"strings"
	"unicode"

	"betcode/gateway/portal/wire"
)

// Bounds of uploads.
const (
	maxChunks   = 65_536
	maxFileName = 100
)

// upload is a file that arrives in pieces, in any order. There is one at a time.
type upload struct {
	id, name string
	chunks   map[uint32][]byte
	count    uint32
	size     uint64
	got      uint64
}

// uploadStart begins a file. One that is not complete is given up.
func (l *link) uploadStart(m wire.FileUploadStart) {
	if l.upload != nil {
		l.uploaded(l.upload.id, l.upload.name, "", "another file was sent before it was complete")
		l.upload = nil
	}
	name, why := FileName(m.Filename), ""
	switch {
	case l.ReadOnly:
		why = "this session may only be viewed here"
	case l.MaxUpload == 0:
		why = "this proxy takes no files"
	case m.TotalSize > l.MaxUpload:
		why = fmt.Sprintf("it has more than %d MiB", l.MaxUpload>>20)
	case m.TotalChunks > maxChunks || m.TotalChunks == 0:
		why = "the number of its pieces is out of range"
	}
	if why != "" {
		l.uploaded(m.UploadID, name, "", why)
		return
	}
	l.upload = &upload{id: m.UploadID, name: name, chunks: map[uint32][]byte{}, count: m.TotalChunks, size: m.TotalSize}
}

// uploadChunk takes a piece; the last one completes the file.
func (l *link) uploadChunk(m wire.FileUploadChunk) {
	u := l.upload
	if u == nil || u.id != m.UploadID || u.chunks[m.Index] != nil {
		return
	}
	u.got += uint64(len(m.Data))
	if m.Index >= u.count || u.got > u.size {
		l.upload = nil
		l.uploaded(u.id, u.name, "", "its pieces are not those that were announced")
		return
	}
	if u.chunks[m.Index] = m.Data; m.Data == nil {
		u.chunks[m.Index] = []byte{}
	}
	if uint32(len(u.chunks)) < u.count { //nolint:gosec // at most maxChunks
		return
	}
	l.upload = nil
	if u.got != u.size {
		l.uploaded(u.id, u.name, "", "its pieces are not those that were announced")
		return
	}
	data := make([]byte, 0, u.size)
	for i := range u.count {
		data = append(data, u.chunks[i]...)
	}
	l.do(keep{u.id, u.name, data})
}

// uploaded tells what became of a file: where it is, or why it is not.
func (l *link) uploaded(id, name, path, why string) {
	m := wire.FileUploadResult{UploadID: id, Success: path != ""}
	if path != "" {
		l.note("**%s** is stored as `%s`. Name this path in a message to the agent.", name, path)
	} else {
		m.Error = &why
		l.note("**%s** was not stored: %s.", name, why)
	}
	l.say(m)
}

// kept tells what became of a file that was complete.
func (l *link) kept(k keep, path string, err error) []effect {
	why := ""
	if err != nil {
		path, why = "", err.Error()
	}
	l.uploaded(k.id, k.name, path, why)
	return l.take()
}

// FileName returns a name of a file that leads nowhere else and hides nothing: the last element of
// the given one, of letters, digits and a few signs, without a dot in front.
func FileName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-+=@", r) {
			return r
		}
		return '_'
	}, strings.ToValidUTF8(name, "_"))
	if name = strings.TrimLeft(name, "."); len(name) > maxFileName { // its end has the kind
		name = strings.TrimLeft(strings.ToValidUTF8(name[len(name)-maxFileName:], ""), ".")
	}
	if name == "" {
		return "file"
	}
	return name
}
