package persistence

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/manifest"
)

var update = flag.Bool("update", false, "write testdata/format4 anew: only before that format has landed")

// picture is everything that can be read from a journal.
type picture struct {
	Lineage    string
	Sessions   []messages.SessionLoaded
	Histories  map[messages.SessionID][]string
	Unfinished []messages.SessionID
	Deleted    []messages.SessionID
}

func (f *fixture) picture() picture {
	f.Helper()
	p := picture{Lineage: f.store.Lineage(), Histories: map[messages.SessionID][]string{}}
	records, _, err := f.store.Sessions("", "", 0, 0)
	if err != nil {
		f.Fatalf("%v", err)
	}
	for _, r := range records {
		p.Sessions = append(p.Sessions, f.load(r.ID))
		for _, e := range f.history(r.ID) {
			p.Histories[r.ID] = append(p.Histories[r.ID], string(e.Bytes))
		}
	}
	p.Unfinished, _ = f.store.Unfinished()
	for id, e := range f.store.index.entries {
		if e.deleted {
			p.Deleted = append(p.Deleted, id)
		}
	}
	return p
}

// story writes a journal with records of every kind.
func (f *fixture) story() {
	f.Helper()
	f.commit(full(sid(1), 0), begin(sid(2), 2), begin(sid(3), 1))
	large := more(sid(1), 3, 4)
	large.Events[1].Bytes = []byte(strings.Repeat("a large event ", 400))
	large.Cursor, large.SpoolFrom = &messages.Cursor{Run: 1, Offset: 4096, Translator: []byte("state")}, 100
	f.commit(large, messages.Append{Session: sid(3), Delete: true})
	f.seal()
	ended := full(sid(1), 7)
	ended.Cursor = &messages.Cursor{Run: 2, Offset: 12}
	ended.Run.Run, ended.Run.State = 2, messages.RunFinished
	ended.Run.Exit = messages.Exit{Known: true, Code: 1, Reason: "exited", At: epoch.Add(time.Hour)}
	ended.Done = []string{"two"}
	f.commit(ended, more(sid(2), 2, 30))
}

// A journal of every released format opens with every later build, and returns the same
// bytes: the first one, the same with hash chains, one with logs, which was not closed,
// the same with payloads out of line, and with two copies of the manifest.
func TestGoldenJournal(t *testing.T) {
	for _, name := range []string{"format1", "format1-chained", "format2", "format3", "format4"} {
		t.Run(name, func(t *testing.T) { golden(t, filepath.Join("testdata", name), *update && name == "format4") })
	}
}

func golden(t *testing.T, golden string, update bool) {
	if update {
		os.RemoveAll(golden)
		os.MkdirAll(golden, 0o755)
		f := makeFixture(t, t.TempDir(), func(o *Options) { o.growBytes = boltfile.PageSize })
		f.open()
		f.commit(heavy(sid(4), 0, 1))
		f.story()
		f.commit(more(sid(4), 1, 1))
		f.checkpoint()
		f.commit(heavy(sid(5), 0, 1))
		text, _ := json.MarshalIndent(f.picture(), "", " ")
		os.WriteFile(filepath.Join(golden, "expected.json"), append(text, '\n'), 0o644)
		f.store.options.steps = func(string) error { return errCrash }
		f.close()
		os.Remove(f.path(boltfile.LockName))
		os.Mkdir(filepath.Join(golden, "journal"), 0o755)
		copyTree(t, f.options.Directory, filepath.Join(golden, "journal"))
	}
	text, err := os.ReadFile(filepath.Join(golden, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want picture
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields() // a field that was renamed is not one that was empty
	if err := strict.Decode(&want); err != nil {
		t.Fatal(err)
	}
	f := makeFixture(t, t.TempDir())
	copyTree(t, filepath.Join(golden, "journal"), f.options.Directory)
	f.open()
	defer f.finish()
	if m, _, err := manifest.Read(f.options.Directory); err != nil || m.Format != boltfile.Format || len(m.Logs) == 0 {
		t.Errorf("it is not of this format now: %+v, %v", m, err)
	}
	for _, then := range []func(){func() {}, f.reopen, f.seal, f.reopen} {
		then()
		same(t, "journal", f.picture(), want)
	}
	f.commit(more(sid(1), 10, 2)) // and it accepts appends
	sameEvents(t, "events", f.history(sid(1))[10:], events(10, 2))
}
