package persistence

import (
	"os"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/wal"
)

// Where the file's pages are damaged, the rows of the logs go into the next file.
func TestCheckpointOntoADamagedPage(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(big(sid(1), 0, "premier"), full(sid(2), 0))
	page := f.pageWith([]byte("premier"))
	f.commit(big(sid(1), 40, "dernier"), more(sid(2), 3, 3))
	f.scribble(page, 0xff)
	f.checkpoint()
	if len(f.store.manifest.Sealed) != 1 {
		t.Errorf("sealed: %v", f.store.manifest.Sealed)
	}
	f.crash()
	got, err := f.store.Events(sid(1), 40, 0, 0)
	if len(got) != 40 || err != nil {
		t.Errorf("%d events, %v", len(got), err)
	}
	f.commit(more(sid(1), 80, 1), more(sid(2), 6, 1))
}

// Rows of a damaged group mark their sessions as damaged, now and after they were moved;
// the others go on.
func TestDamagedGroupNamesItsSessions(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(begin(sid(1), 3), full(sid(3), 0))
	f.commit(more(sid(1), 3, 3), begin(sid(2), 2))
	end := f.store.log.Length()
	f.commit(more(sid(3), 3, 1))
	f.store.options.steps = func(string) error { return errCrash }
	f.close()
	f.smudge(wal.Names[0], end-20, 8)
	f.open()
	for range 3 {
		for _, n := range []int{1, 2} {
			_, err := f.store.Load(sid(n))
			wantKind(t, "load", err, messages.DataLoss)
			if err == nil || !strings.Contains(err.Error(), "group 2 of the log") {
				t.Errorf("it says %v", err)
			}
			wantKind(t, "append", f.store.Commit([]messages.Append{more(sid(n), 6, 1)})[0], messages.DataLoss)
		}
		f.unharmed(sid(3))
		f.finds("group 2 of the log")
		f.seal()
		f.reopen()
	}
	f.commit(messages.Append{Session: sid(1), Delete: true})
}

// A log is refused if the sessions of its damaged part are unknown.
func TestDamagedLogsAreNotOpened(t *testing.T) {
	for name, spoil := range map[string]func(f *fixture, end int64) error{
		"head of a group": func(f *fixture, end int64) error { f.smudge(wal.Names[0], end+4, 24); return nil },
		"missing":         func(f *fixture, _ int64) error { return os.Remove(f.path(wal.Names[0])) },
		"of another journal": func(f *fixture, _ int64) error {
			f.edit(func(m map[string]any) { m["lineage"] = "other" })
			return nil
		},
		"unmentioned": func(f *fixture, _ int64) error {
			f.edit(func(m map[string]any) { delete(m, "logs") })
			return nil
		},
		"no manifest": func(f *fixture, _ int64) error { return f.eachCopy(os.Remove) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = true
			f.commit(begin(sid(1), 3))
			end := f.store.log.Length()
			f.commit(more(sid(1), 3, 3))
			f.commit(more(sid(1), 6, 3))
			f.store.options.steps = func(string) error { return errCrash }
			f.close()
			if err := spoil(f, end); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				s, err := Open(f.options)
				wantKind(t, "open", err, messages.DataLoss)
				if err == nil {
					s.Close()
				} else if fault.As(err).Hint == "" {
					t.Errorf("no hint: %v", err)
				}
			}
			os.RemoveAll(f.options.Directory)
			f.open()
		})
	}
}

// smudge changes some bytes of a file.
func (f *fixture) smudge(name string, at, n int64) {
	f.Helper()
	data, err := os.ReadFile(f.path(name))
	if err == nil {
		for i := at; i < min(at+n, int64(len(data))); i++ {
			data[i] ^= 0x5a
		}
		err = os.WriteFile(f.path(name), data, 0o600)
	}
	if err != nil {
		f.Fatalf("%v", err)
	}
}
