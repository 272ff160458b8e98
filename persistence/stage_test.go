package persistence

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/record"
)

// begun is a fixture with a session, without large values.
func begun(t *testing.T, change ...func(*Options)) *fixture {
	f := newFixture(t, change...)
	f.commit(begin(sid(1), 1), full(sid(2), 0))
	return f
}

// Staged values are out of line before the append is committed, and the log has references
// to them. They are read unchanged, from the log and from any file.
func TestStaged(t *testing.T) {
	plain, f := begun(t), begun(t)
	a := heavy(sid(1), 1, 3)
	plain.commit(a)
	want := plain.picture()

	f.store.Stage(a)
	if got := f.payloads(); len(got) != 4 {
		t.Errorf("before the commit: %v", got)
	}
	f.sweep(0)
	before := f.store.Stats().LogBytes
	f.commit(a)
	if st := f.store.Stats(); st.LogBytes > before+4096 || st.Payloads != 4 {
		t.Errorf("after it: %+v", st)
	}
	f.sweep(0)
	same(t, "journal", f.picture(), want)
	f.verify()
	for _, then := range []func(){f.crash, f.checkpoint, f.seal, f.reopen} {
		then()
		f.sweep(0)
		same(t, "journal", f.picture(), want)
	}
	if st := f.store.Stats(); st.Files[0].Payloads < 4*record.PayloadBytes || st.Files[1].Payloads != 0 {
		t.Errorf("%+v", st)
	}
}

// A large input is staged each time that its state changes, and written once.
func TestStagedInputChanges(t *testing.T) {
	f := begun(t)
	in := messages.InputRecord{Key: "one", Seq: 1, Content: string(payload(1))}
	for state := messages.InputState(0); state < 4; state++ {
		in.State = state
		a := messages.Append{Session: sid(1), Expect: 1, Inputs: []messages.InputRecord{in}}
		f.store.Stage(a)
		f.commit(a)
		if state == 1 {
			f.checkpoint()
		}
	}
	same(t, "inputs", f.load(sid(1)).Inputs, []messages.InputRecord{in})
	if got := f.payloads(); len(got) != 1 {
		t.Errorf("%v", got)
	}
	f.commit(messages.Append{Session: sid(1), Expect: 1, Done: []string{"one"}})
	f.sweep(0) // the log refers to it, or did
	f.checkpoint()
	f.sweep(1)
}

// What was staged for an append that does not come, or comes to another history,
// is not used, and is swept.
func TestStagedForNothing(t *testing.T) {
	for name, other := range map[string]func(messages.Append) messages.Append{
		"another comes first": func(a messages.Append) messages.Append {
			return more(sid(1), 1, 1)
		},
		"it says something else": func(a messages.Append) messages.Append {
			a.Events = append([]messages.Event(nil), a.Events...)
			a.Events[1].Bytes = payload(77)
			return a
		},
		"the session is deleted": func(messages.Append) messages.Append {
			return messages.Append{Session: sid(1), Delete: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			plain, f := begun(t), begun(t)
			a := heavy(sid(1), 1, 3)
			f.store.Stage(a)
			f.commit(other(a))
			plain.commit(other(a))
			same(t, "journal", f.picture(), plain.picture())
			f.sweep(4)
			wantKind(t, "the append itself", f.store.Commit([]messages.Append{a})[0], plain.kindOf(a))
			f.checkpoint()
			plain.checkpoint()
			same(t, "journal", f.picture(), plain.picture())
		})
	}
}

// kindOf commits an append and returns how that went.
func (f *fixture) kindOf(a messages.Append) messages.Kind {
	return messages.KindOf(f.store.Commit([]messages.Append{a})[0])
}

// An append that cannot be staged, because its session is new, or because there is
// no room beside the log, is committed all the same.
func TestNotStaged(t *testing.T) {
	f := newFixture(t)
	a := heavy(sid(1), 0, 2)
	f.store.Stage(a)
	f.commit(a)
	if got := f.payloads(); got != nil {
		t.Errorf("%v", got)
	}
	if err := os.WriteFile(f.path(blob.DirectoryName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := heavy(sid(1), 2, 2)
	f.store.Stage(b)
	f.commit(b)
	sameEvents(t, "events", f.history(sid(1)), append(a.Events, b.Events...))
	if err := os.Remove(f.path(blob.DirectoryName)); err != nil {
		t.Fatal(err)
	}
}

// Each step of staging leaves a directory that opens with what was committed, and
// after the commit with what was staged.
func TestCrashAtEveryStepOfStaging(t *testing.T) {
	pictures := t.TempDir()
	f := begun(t)
	var steps []string
	note := func(step string) error {
		steps = append(steps, fmt.Sprintf("%02d %s", len(steps), step))
		copyTree(t, f.options.Directory, filepath.Join(pictures, steps[len(steps)-1]))
		return nil
	}
	f.store.options.steps, f.store.blobs.Steps, f.store.log.Steps = note, note, note
	before := f.picture()
	a := heavy(sid(1), 1, 2)
	f.store.Stage(a)
	staged := len(steps)
	f.commit(a)
	committed := len(steps)
	f.checkpoint()
	f.store.options.steps, f.store.blobs.Steps, f.store.log.Steps = nil, nil, nil
	after := f.picture()
	if staged < 7 || committed < staged+2 || len(steps) < committed+3 {
		t.Fatalf("steps: %v", steps)
	}
	for i, step := range steps {
		t.Run(step, func(t *testing.T) {
			g := makeFixture(t, filepath.Join(pictures, step))
			g.open()
			defer g.finish()
			got, want := g.picture(), after
			if i < committed-1 && len(got.Histories[sid(1)]) == 1 { // it is written, and perhaps not on disk
				want = before
			}
			same(t, "journal", got, want)
			if _, err := g.store.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			same(t, "swept", g.picture(), want)
		})
	}
}

// A throttled file has the same content as another.
func TestCreateGently(t *testing.T) {
	for _, size := range []int{0, 1, disk.ThrottledBytes - 1, disk.ThrottledBytes, disk.ThrottledBytes + 1, 3*disk.ThrottledBytes + 5} {
		path := filepath.Join(t.TempDir(), "file")
		data := bytes.Repeat([]byte{byte(size), 1, 2}, size/3+1)[:size]
		if err := disk.CreateThrottled(path, data); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes of %d, %v", len(got), size, err)
		}
	}
	if err := disk.CreateThrottled(filepath.Join(t.TempDir(), "no", "file"), nil); err == nil {
		t.Error("nowhere")
	}
}
