package persistence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
)

func TestOnlyOneHasTheJournal(t *testing.T) {
	f := newFixture(t)
	_, err := Open(f.options)
	wantKind(t, "second open", err, messages.Unavailable)
	if e := fault.As(err); !strings.Contains(e.Error(), "another daemon") || e.Hint == "" {
		t.Errorf("it says %q, %q", e.Error(), e.Hint)
	}
	f.commit(begin(sid(1), 1)) // the first is not affected
	f.reopen()
}

func TestLineage(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.NewLineage = nil })
	lineage := f.store.Lineage()
	if len(lineage) != 36 {
		t.Errorf("lineage %q", lineage)
	}
	f.seal()
	f.reopen()
	if f.store.Lineage() != lineage {
		t.Error("the lineage changed")
	}
	if other := newFixture(t, func(o *Options) { o.NewLineage = nil }); other.store.Lineage() == lineage {
		t.Error("two journals have one lineage")
	}
}

// edit changes both copies of the manifest of a closed journal, as another build would.
func (f *fixture) edit(change func(m map[string]any)) {
	f.Helper()
	data, err := os.ReadFile(f.path(manifest.Name))
	if err != nil {
		f.Fatalf("%v", err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		f.Fatalf("%v", err)
	}
	m["checksum"] = strings.Repeat("0", manifest.SumLength)
	change(m)
	if data, err = json.MarshalIndent(m, "", "  "); err != nil {
		f.Fatalf("%v", err)
	}
	if _, at := manifest.SumOf(data); at >= 0 {
		sum := sha256.Sum256(data)
		hex.Encode(data[at:], sum[:])
	}
	for _, name := range manifest.Names {
		if err := os.WriteFile(f.path(name), data, 0o600); err != nil {
			f.Fatalf("%v", err)
		}
	}
}

// eachCopy does something to both copies of the manifest.
func (f *fixture) eachCopy(do func(path string) error) (err error) {
	for _, name := range manifest.Names {
		err = errors.Join(err, do(f.path(name)))
	}
	return err
}

func TestJournalsThatAreNotOpened(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(f *fixture) error
		kind  messages.Kind
		says  string
	}{
		{"newer format", func(f *fixture) error {
			f.edit(func(m map[string]any) { m["format"], m["something new"] = boltfile.Format+1, true })
			return nil
		}, messages.Unimplemented, "format 4"},
		{"no format", func(f *fixture) error {
			f.edit(func(m map[string]any) { delete(m, "format") })
			return nil
		}, messages.DataLoss, "format 0"},
		{"unknown field", func(f *fixture) error {
			f.edit(func(m map[string]any) { m["color"] = "red" })
			return nil
		}, messages.DataLoss, "color"},
		{"file outside", func(f *fixture) error {
			f.edit(func(m map[string]any) { m["active"] = "../000001.journal" })
			return nil
		}, messages.DataLoss, "not the name"},
		{"files out of order", func(f *fixture) error {
			f.edit(func(m map[string]any) { m["active"] = "000001.journal" })
			return nil
		}, messages.DataLoss, "out of order"},
		{"other lineage", func(f *fixture) error {
			f.edit(func(m map[string]any) { m["lineage"] = "other" })
			return nil
		}, messages.DataLoss, "of journal"},
		{"garbled manifest", func(f *fixture) error {
			return f.eachCopy(func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) })
		}, messages.DataLoss, "MANIFEST"},
		{"newer format, one copy", func(f *fixture) error {
			second, err := os.ReadFile(f.path(manifest.Names[1]))
			f.edit(func(m map[string]any) { m["format"], m["something new"] = boltfile.Format+1, true })
			return errors.Join(err, os.WriteFile(f.path(manifest.Names[1]), second, 0o600))
		}, messages.Unimplemented, "format 4"},
		{"no checksum", func(f *fixture) error {
			f.edit(func(m map[string]any) { delete(m, "checksum") })
			return nil
		}, messages.DataLoss, "no checksum"},
		{"older format with a generation", func(f *fixture) error {
			f.edit(func(m map[string]any) { m["format"] = 3 })
			return nil
		}, messages.DataLoss, "generation"},
		{"no manifest", func(f *fixture) error { return f.eachCopy(os.Remove) }, messages.DataLoss, "holds a history"},
		{"old manifest", func(f *fixture) error {
			f.edit(func(m map[string]any) { m["active"], m["sealed"] = "000001.journal", []any{} })
			return nil
		}, messages.DataLoss, "000002.journal, which holds a history"},
		{"no active file", func(f *fixture) error { return os.Remove(f.path(boltfile.Name(2))) }, messages.DataLoss, "missing"},
		{"no sealed file", func(f *fixture) error { return os.Remove(f.path(boltfile.Name(1))) }, messages.DataLoss, "missing"},
		{"cut sealed file", func(f *fixture) error { return os.Truncate(f.path(boltfile.Name(1)), 9000) }, messages.DataLoss, "9000 bytes"},
		{"cut active file", func(f *fixture) error { return os.Truncate(f.path(boltfile.Name(2)), 20000) }, messages.DataLoss, boltfile.Name(2)},
		{"active file without its end", func(f *fixture) error {
			return os.Truncate(f.path(boltfile.Name(2)), f.size-boltfile.PageSize)
		}, messages.DataLoss, "bytes of"},
		{"empty active file", func(f *fixture) error { return os.Truncate(f.path(boltfile.Name(2)), 0) }, messages.DataLoss, boltfile.Name(2)},
		{"files exchanged", func(f *fixture) error {
			return os.Rename(f.path(boltfile.Name(1)), f.path(boltfile.Name(2)))
		}, messages.DataLoss, "missing"},
		{"copy in place of another", func(f *fixture) error {
			data, err := os.ReadFile(f.path(boltfile.Name(1)))
			if err != nil {
				return err
			}
			return os.WriteFile(f.path(boltfile.Name(2)), data, 0o600)
		}, messages.DataLoss, "it is file 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = true
			f.commit(begin(sid(1), 30))
			f.seal()
			f.commit(big(sid(1), 30, ""), more(sid(1), 70, 30))
			f.checkpoint()
			f.commit(messages.Append{Session: sid(1), Expect: 100, Key: "k"}) // the end is events
			f.checkpoint()
			f.size = f.store.active.Size()
			f.close()
			if err := c.spoil(f); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadDir(f.options.Directory)
			s, err := Open(f.options)
			wantKind(t, "open", err, c.kind)
			if err == nil {
				s.Close()
				return
			}
			if e := fault.As(err); !strings.Contains(e.Error(), c.says) || e.Hint == "" {
				t.Errorf("it says %q, hint %q", e.Error(), e.Hint)
			}
			if after, _ := os.ReadDir(f.options.Directory); len(after) != len(before) {
				t.Errorf("files were made or removed: %v, then %v", before, after)
			}
			_, again := Open(f.options) // the lock was released
			wantKind(t, "open again", again, c.kind)
		})
	}
}

func TestDirectoryThatIsNone(t *testing.T) {
	path := t.TempDir() + "/file"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Directory: path})
	wantKind(t, "open", err, messages.Unavailable)
	f := newFixture(t, func(o *Options) { o.Directory += "/below/that" })
	info, err := os.Stat(f.options.Directory)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
}
