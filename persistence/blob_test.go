package persistence

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/record"
)

// payload is bytes that are too large for a page, another for each n.
func payload(n int) []byte {
	return append(fmt.Appendf(nil, "payload %d ", n), bytes.Repeat([]byte{byte(n)}, record.PayloadBytes)...)
}

// heavy appends n events after a number, each with a payload of its own, and an
// input with another.
func heavy(id messages.SessionID, after messages.Seq, n int) messages.Append {
	a := more(id, after, n)
	if after == 0 {
		a.Record = summary(id, epoch)
	}
	for i := range a.Events {
		a.Events[i].Bytes = payload(int(a.Events[i].Seq))
	}
	a.Inputs = []messages.InputRecord{{Key: "heavy", Seq: after + 1, Content: "see", Attachments: []messages.Attachment{
		{Filename: "x.png", Data: payload(1000 + int(after))},
	}}}
	return a
}

// payloads lists the files out of line.
func (f *fixture) payloads() (paths []string) {
	f.Helper()
	err := filepath.WalkDir(f.path(blob.DirectoryName), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		f.Fatalf("%v", err)
	}
	return paths
}

// holding returns the payload out of line that contains a text.
func (f *fixture) holding(text string) string {
	f.Helper()
	for _, path := range f.payloads() {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(text)) {
			return path
		}
	}
	f.Fatalf("no payload holds %q", text)
	return ""
}

// A large value is in the log first and out of line after a checkpoint; it is read
// unchanged, from whichever file refers to it.
func TestLargePayloadsAreOutOfLine(t *testing.T) {
	f := newFixture(t)
	f.commit(heavy(sid(1), 0, 3), full(sid(2), 0))
	if got := f.payloads(); got != nil {
		t.Errorf("before a checkpoint: %v", got)
	}
	before := f.picture()
	f.checkpoint()
	if got := f.payloads(); len(got) != 4 {
		t.Errorf("after it: %v", got)
	}
	for _, value := range [][]byte{f.raw("events", record.PairKey(1, 2)), f.raw("bodies", record.NameKey(1, "heavy"))} {
		if len(value) == 0 || len(value) > 100 {
			t.Errorf("%d bytes stand for a payload", len(value))
		}
	}
	for _, then := range []func(){func() {}, f.reopen, f.seal, f.reopen, f.crash} {
		then()
		same(t, "journal", f.picture(), before)
	}
	for path, mode := range map[string]fs.FileMode{
		f.payloads()[0]: 0o600, filepath.Dir(f.payloads()[0]): 0o700 | fs.ModeDir, f.path(blob.DirectoryName): 0o700 | fs.ModeDir,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	st := f.store.Stats()
	if st.Payloads != 4 || st.PayloadBytes < 4*record.PayloadBytes || st.Files[0].Payloads < 4*record.PayloadBytes || st.Files[1].Payloads != 0 {
		t.Errorf("%+v", st)
	}
	f.commit(messages.Append{Session: sid(1), Expect: 3, Done: []string{"heavy"}})
	f.seal()
	f.sweep(0) // the sealed files refer to all of them
}

// Two equal values have one payload.
func TestSamePayloadTwice(t *testing.T) {
	f := newFixture(t)
	a := begin(sid(1), 1)
	for _, key := range []string{"one", "two"} {
		a.Inputs = append(a.Inputs, messages.InputRecord{Key: key, Seq: 1, Content: string(payload(1))})
	}
	f.commit(a)
	want := f.picture()
	for _, then := range []func(){f.checkpoint, f.seal, func() { f.sweep(0) }} {
		then()
		same(t, "journal", f.picture(), want)
		if got := f.payloads(); len(got) != 1 {
			t.Errorf("%v", got)
		}
	}
}

// A large input is written once, however often its state changes, and its payload
// is removed with the last input that has it.
func TestLargeInputIsWrittenOnce(t *testing.T) {
	f := newFixture(t)
	one := messages.InputRecord{Key: "one", Seq: 1, Content: string(payload(1))}
	two := messages.InputRecord{Key: "two", Seq: 1, Content: string(payload(1))}
	a := begin(sid(1), 1)
	a.Inputs = []messages.InputRecord{one, two}
	f.commit(a)
	f.checkpoint()
	for state := messages.InputState(1); state < 4; state++ {
		one.State = state
		f.commit(messages.Append{Session: sid(1), Expect: 1, Inputs: []messages.InputRecord{one}})
	}
	if st := f.store.Stats(); st.LogBytes > 4096 {
		t.Errorf("%d bytes in the log", st.LogBytes)
	}
	same(t, "inputs", f.load(sid(1)).Inputs, []messages.InputRecord{one, two})
	f.commit(messages.Append{Session: sid(1), Expect: 1, Done: []string{"one"}})
	f.checkpoint()
	f.sweep(0)
	same(t, "inputs", f.load(sid(1)).Inputs, []messages.InputRecord{two})
	two.Content = "short"
	f.commit(messages.Append{Session: sid(1), Expect: 1, Inputs: []messages.InputRecord{two}})
	f.checkpoint()
	f.sweep(1)
	same(t, "inputs", f.load(sid(1)).Inputs, []messages.InputRecord{two})
}

// A backup has the payloads, linked or copied; a journal that is made of it too.
func TestBackupCarriesPayloads(t *testing.T) {
	for _, link := range []bool{false, true} {
		f := newFixture(t)
		f.commit(heavy(sid(1), 0, 2))
		f.seal()
		f.commit(heavy(sid(1), 2, 2))
		want := f.picture()
		path := f.backup(t, link)
		f.store.options.RetainBytes = 1
		f.retain(1)
		f.store.Sweep(t.Context())
		g := readBackup(t, path)
		same(t, "backup", g.picture(), want)
		o := RestoreOptions{Backup: path, Directory: filepath.Join(t.TempDir(), "journal"), RunsDirectory: filepath.Join(t.TempDir(), "runs")}
		if _, err := Restore(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		h := makeFixture(t, o.Directory)
		h.open()
		want.Lineage = h.store.Lineage()
		for i := range want.Sessions {
			if s := &want.Sessions[i]; s.Record.Turn || len(s.Inputs) > 0 {
				s.Record.Waiting = messages.WaitsRestored
			}
		}
		same(t, "restored", h.picture(), want)
		h.finish()
		if err := os.Remove((&fixture{tb: t, options: Options{Directory: path}}).holding("payload 3 ")); err != nil {
			t.Fatal(err)
		}
		o.Directory += "2"
		_, err := Restore(t.Context(), o)
		wantKind(t, "a damaged backup", err, messages.DataLoss)
		o.Damaged = true
		if _, err := Restore(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}
