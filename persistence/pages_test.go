package persistence

import (
	"encoding/binary"
	"os"
	"testing"

	"betcode/messages"
)

// A page that is above itself would be followed without end: it is found, and not
// followed.
func TestVerifyOfACircle(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(begin(sid(1), 0))
	for head := messages.Seq(0); head < 1200; head += 4 {
		a := more(sid(1), head, 4)
		for i := range a.Events {
			a.Events[i].Bytes = make([]byte, 400)
		}
		f.commit(a)
	}
	path := f.path(f.store.active.Name)
	f.close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const pageSize, pageHeader, pageElement, branchPage = 4096, 16, 16, 1
	circles := 0
	for at := 2 * pageSize; at < len(data); at += pageSize { // every branch points at itself
		page := data[at : at+pageSize]
		if binary.LittleEndian.Uint16(page[8:]) != branchPage || binary.LittleEndian.Uint64(page) != uint64(at/pageSize) {
			continue
		}
		circles++
		for i := range int(binary.LittleEndian.Uint16(page[10:])) {
			binary.LittleEndian.PutUint64(page[pageHeader+i*pageElement+8:], uint64(at/pageSize))
		}
	}
	if circles == 0 {
		t.Fatal("no branch")
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f.open()
	f.finds("multiple references")
}
