package trust

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
)

// The index of a repository lists its submodules. "git status" runs git in each of them, with the
// submodule's own settings.

const (
	linkMode    = 0o160000
	entryFixed  = 62 // bytes of an entry before its name
	extendedBit = 0x4000
)

// submodules returns the paths of submodules in the index of a repository.
func (in *inspector) submodules(git string) []string {
	shared, _ := filepath.Glob(filepath.Join(git, "sharedindex.*")) // the pattern is well formed
	var links []string
	for _, path := range append([]string{filepath.Join(git, "index")}, shared...) {
		if !in.present(path) {
			continue
		}
		content, reason := readBounded(path, maxIndex)
		found, ok := gitlinks(content)
		if reason != "" || !ok {
			continue // git does not read it either, or it is too large
		}
		links = append(links, found...)
	}
	return links
}

// gitlinks reads the entries of an index of version 2 to 4. ok is false if it is not a valid index.
func gitlinks(index []byte) (links []string, ok bool) {
	if len(index) < 12 || string(index[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	var name []byte
	at := 12
	for range count {
		if at+entryFixed > len(index) {
			return links, false
		}
		begin, mode := at, binary.BigEndian.Uint32(index[at+24:])
		flags := binary.BigEndian.Uint16(index[at+60:])
		at += entryFixed
		if flags&extendedBit != 0 {
			at += 2
		}
		kept := 0
		if version == 4 {
			strip, used := stripped(index[min(at, len(index)):])
			if used == 0 || strip > len(name) {
				return links, false
			}
			at, kept = at+used, len(name)-strip
		}
		if at > len(index) {
			return links, false
		}
		end := bytes.IndexByte(index[at:], 0)
		if end < 0 {
			return links, false
		}
		name = append(name[:kept], index[at:at+end]...)
		if at += end + 1; version < 4 {
			at = begin + (at-1-begin+8)/8*8
		}
		if mode&0o170000 == linkMode {
			links = append(links, string(name))
		}
	}
	return links, true
}

// stripped decodes how many bytes of the previous name an entry of version 4 drops, and how many
// bytes encode that; 0 if the encoding is invalid.
func stripped(b []byte) (value, used int) {
	for n, c := range b {
		if n > 4 {
			break
		}
		if n > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n + 1
		}
	}
	return 0, 0
}
