package persistence

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"

	"betcode/persistence/internal/boltfile"
)

// What a power failure leaves is simulated from what the files were after one
// step and after the next. bbolt writes the pages of a transaction, syncs, writes
// one of the two meta pages, syncs. So until the first sync any of the pages may
// be on disk, or any sectors of them, and no meta page; then all of the pages and
// any part of the meta page. Of a log any of the sectors that a group is in may be
// on disk, or none.

const sectorBytes = 512

// outage makes images of what a file may be after a power failure between two
// states of it.
type outage struct {
	*rand.Rand
	before, after []byte
}

// grown returns the file as it was, as long as it may be by now.
func (o outage) grown() []byte {
	image := bytes.Clone(o.before)
	if more := len(o.after) - len(o.before); more > 0 && o.IntN(2) == 0 {
		image = append(image, make([]byte, o.IntN(more/sectorBytes+1)*sectorBytes)...)
	}
	return image
}

// write puts some sectors of a page into an image, as far as it goes.
func (o outage) write(image []byte, page int, torn bool) []byte {
	for at := page * boltfile.PageSize; at < (page+1)*boltfile.PageSize; at += sectorBytes {
		if torn && o.IntN(2) == 0 {
			continue
		}
		for len(image) < at+sectorBytes {
			image = append(image, make([]byte, sectorBytes)...)
		}
		copy(image[at:], o.after[at:at+sectorBytes])
	}
	return image
}

// changed returns the numbers of the pages that are others, the meta pages
// apart.
func (o outage) changed() (pages, meta []int) {
	for page := 0; (page+1)*boltfile.PageSize <= len(o.after); page++ {
		at := page * boltfile.PageSize
		if at+boltfile.PageSize <= len(o.before) && bytes.Equal(o.before[at:at+boltfile.PageSize], o.after[at:at+boltfile.PageSize]) {
			continue
		}
		if page < 2 {
			meta = append(meta, page)
		} else {
			pages = append(pages, page)
		}
	}
	return pages, meta
}

// early is the disk before the first sync: the old state, some pages, or parts
// of them, of the new one.
func (o outage) early() []byte {
	image := o.grown()
	pages, _ := o.changed()
	for _, page := range pages {
		if o.IntN(3) > 0 {
			image = o.write(image, page, o.IntN(2) == 0)
		}
	}
	return image
}

// late is the disk after the first sync: all pages, and a part of the meta page,
// to the byte.
func (o outage) late() []byte {
	image := bytes.Clone(o.before)
	pages, meta := o.changed()
	for _, page := range pages {
		image = o.write(image, page, false)
	}
	for len(image) < len(o.after) {
		image = append(image, 0)
	}
	for _, page := range meta {
		from, to := o.IntN(boltfile.PageSize), o.IntN(boltfile.PageSize+1)
		if o.IntN(2) == 0 { // the structure is in the first 80 bytes
			from, to = o.IntN(90), o.IntN(90)
		}
		from, to = min(from, to), max(from, to)
		copy(image[page*boltfile.PageSize+from:], o.after[page*boltfile.PageSize+from:page*boltfile.PageSize+to])
	}
	return image
}

// torn is a log before the sync: any sectors of what was written, of a file that
// has grown or not.
func (o outage) torn() []byte {
	image := o.grown()
	for at := 0; at < len(o.after); at += sectorBytes {
		end := min(at+sectorBytes, len(o.after))
		if o.IntN(3) == 0 || (end <= len(o.before) && bytes.Equal(o.before[at:end], o.after[at:end])) {
			continue
		}
		for len(image) < end {
			image = append(image, 0)
		}
		copy(image[at:], o.after[at:end])
	}
	return image
}

// device is the files of a journal that are written to, by name.
type device map[string][]byte

// writeFile writes a file of a journal, in the directory for its name.
func writeFile(directory, name string, data []byte) error {
	path := filepath.Join(directory, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
