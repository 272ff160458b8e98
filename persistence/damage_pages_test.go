package persistence

import (
	"bytes"
	"os"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
)

// pageWith returns the number of the last page that holds a text.
func (f *fixture) pageWith(text []byte) int64 {
	f.Helper()
	f.checkpoint()
	data, err := os.ReadFile(f.path(f.store.active.Name))
	if err != nil {
		f.Fatalf("%v", err)
	}
	at := bytes.LastIndex(data, text)
	if at < 0 {
		f.Fatalf("no page has %q", text)
	}
	for page := at / boltfile.PageSize; page > 1; page-- { // to the head of one that is longer
		if head := data[page*boltfile.PageSize:]; number(head, 0) == uint64(page) && page+int(head[12]) >= at/boltfile.PageSize {
			return int64(page)
		}
	}
	f.Fatalf("page %d is nobody's", at/boltfile.PageSize)
	return 0
}

// scribble overwrites a page of the active file, under the store.
func (f *fixture) scribble(page int64, with byte) {
	f.Helper()
	file, err := os.OpenFile(f.path(f.store.active.Name), os.O_WRONLY, 0)
	if err != nil {
		f.Fatalf("%v", err)
	}
	defer file.Close()
	if _, err := file.WriteAt(bytes.Repeat([]byte{with}, boltfile.PageSize), page*boltfile.PageSize); err != nil {
		f.Fatalf("%v", err)
	}
}

// big is an append whose events fill pages of their own.
func big(id messages.SessionID, after messages.Seq, text string) messages.Append {
	a := more(id, after, 40)
	for i := range a.Events {
		a.Events[i].Bytes = append(bytes.Repeat([]byte{byte(i)}, 900), text...)
	}
	if after == 0 {
		a.Record = summary(id, epoch)
	}
	return a
}

// bbolt panics on an invalid page. Only the sessions on that page may be affected.
func TestDamagedPage(t *testing.T) {
	for name, with := range map[string]byte{"zeroed": 0, "overwritten": 0xff} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = true
			f.commit(big(sid(1), 0, "premier"), big(sid(2), 0, "second"), full(sid(3), 0))
			f.scribble(f.pageWith([]byte("premier")), with)
			_, err := f.store.Events(sid(1), 39, 0, 0)
			wantKind(t, "read", err, messages.DataLoss)
			results := f.store.Commit([]messages.Append{more(sid(3), 3, 1), big(sid(1), 40, "premier"), big(sid(2), 40, "second")})
			wantKind(t, "append to the damaged", results[1], messages.DataLoss)
			if results[0] != nil || results[2] != nil {
				t.Errorf("the others: %v, %v", results[0], results[2])
			}
			err = f.store.Commit([]messages.Append{big(sid(1), 40, "premier")})[0]
			wantKind(t, "append again", err, messages.DataLoss)
			f.unharmed(sid(3))
			// The page may hold the second's oldest events as well.
			if got, err := f.store.Events(sid(2), 30, 0, 0); len(got) != 50 || err != nil {
				t.Errorf("the second has %d more events, %v", len(got), err)
			}
			report, err := f.store.Verify(t.Context(), nil)
			if report.OK() || err != nil {
				t.Errorf("verify: %v, %v", report, err)
			}
			f.seal() // live state has pages of its own
			f.unharmed(sid(3))
		})
	}
}

// A file that becomes shorter under the mapping must not kill the process.
func TestFileCutUnderTheStore(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(big(sid(1), 0, "premier"), big(sid(2), 0, "second"))
	f.checkpoint()
	if err := os.Truncate(f.path(f.store.active.Name), 4*boltfile.PageSize); err != nil {
		t.Fatal(err)
	}
	_, err := f.store.Events(sid(1), 39, 0, 0)
	wantKind(t, "events", err, messages.DataLoss)
	_, err = f.store.Load(sid(2))
	wantKind(t, "load", err, messages.DataLoss)
	_, _, err = f.store.Sessions("", "", 0, 0)
	wantKind(t, "sessions", err, messages.DataLoss)
	_, err = f.store.Unfinished()
	wantKind(t, "unfinished", err, messages.DataLoss)
	for _, err := range f.store.Commit([]messages.Append{more(sid(1), 40, 1), more(sid(2), 40, 1)}) {
		wantKind(t, "append", err, messages.DataLoss)
	}
	wantKind(t, "seal", f.store.Seal(), messages.DataLoss)
	if report, err := f.store.Verify(t.Context(), nil); report.OK() || err != nil {
		t.Errorf("verify: %v, %v", report, err)
	}
	f.close()
	_, err = Open(f.options)
	wantKind(t, "open", err, messages.DataLoss)
	os.RemoveAll(f.options.Directory)
	f.open()
}

// Both copies of the head of the file are lost: bbolt panics while it holds locks.
func TestMetaPagesLost(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(full(sid(1), 0))
	f.checkpoint()
	f.scribble(0, 0)
	f.scribble(1, 0)
	for range 2 {
		_, err := f.store.Load(sid(1))
		wantKind(t, "load", err, messages.DataLoss)
		wantKind(t, "append", f.store.Commit([]messages.Append{more(sid(1), 3, 1)})[0], messages.DataLoss)
	}
	f.close()
	_, err := Open(f.options)
	wantKind(t, "open", err, messages.DataLoss)
	os.RemoveAll(f.options.Directory)
	f.open()
}
