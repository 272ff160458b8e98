package persistence

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
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

func (f *fixture) sweep(want int) {
	f.Helper()
	if n, err := f.store.Sweep(context.Background()); n != want || err != nil {
		f.Errorf("%d swept, %v; want %d", n, err, want)
	}
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
	f.commit(messages.Append{Session: sid(1), Expect: 3, Settled: []string{"heavy"}})
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
	f.commit(messages.Append{Session: sid(1), Expect: 1, Settled: []string{"one"}})
	f.checkpoint()
	f.sweep(0)
	same(t, "inputs", f.load(sid(1)).Inputs, []messages.InputRecord{two})
	two.Content = "short"
	f.commit(messages.Append{Session: sid(1), Expect: 1, Inputs: []messages.InputRecord{two}})
	f.checkpoint()
	f.sweep(1)
	same(t, "inputs", f.load(sid(1)).Inputs, []messages.InputRecord{two})
}

// Payloads are removed with the last file that refers to them, and not before.
func TestSweepRemovesWhatNobodyRefersTo(t *testing.T) {
	f := newFixture(t)
	f.commit(heavy(sid(1), 0, 2))
	f.seal()
	f.commit(more(sid(1), 2, 1))
	f.seal()
	f.store.options.RetainBytes = 1
	f.retain(2)
	want := f.load(sid(1))
	f.sweep(2) // the input waits still
	same(t, "session", f.load(sid(1)), want)
	f.commit(messages.Append{Session: sid(1), Expect: 3, Settled: []string{"heavy"}})
	f.checkpoint()
	f.sweep(1) // no row refers to it any more
	shard := filepath.Join(f.path(blob.DirectoryName), "ab")
	if err := os.MkdirAll(shard, 0o700); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(shard, record.PayloadID{0xab}.String())
	for _, path := range []string{left, left + disk.Unfinished, filepath.Join(shard, "of somebody else")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := f.store.Verify(t.Context(), nil)
	if err != nil || !report.OK() || !slices.ContainsFunc(report.Files, func(r FileReport) bool { return r.Keys == 3 && strings.Contains(r.Name, "without a reference") }) {
		t.Errorf("verify: %+v, %v", report, err)
	}
	f.sweep(2)
	if got := f.payloads(); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
	if st := f.store.Stats(); st.Swept != 5 {
		t.Errorf("%+v", st)
	}
}

// While a payload is about to be referred to, while the journal is verified, and
// when a list is not whole, nothing is swept that should stay.
func TestSweepLeavesWhatIsNeeded(t *testing.T) {
	f := newFixture(t)
	swept := 0
	f.store.options.steps = nil
	f.store.blobs.Steps = func(string) error {
		n, err := f.store.Sweep(context.Background())
		swept++
		if n != 0 || err != nil {
			t.Errorf("%d swept, %v", n, err)
		}
		return nil
	}
	f.commit(heavy(sid(1), 0, 4))
	f.checkpoint()
	f.commit(heavy(sid(2), 0, 2))
	f.seal()
	f.store.blobs.Steps = nil
	if swept < 10 {
		t.Errorf("%d times", swept)
	}
	f.store.active.Update("test", func(tx *boltfile.Tx) error { return boltfile.ListPayload(tx, record.Payload{ID: record.PayloadID{1}}) })
	left := f.store.blobs.Path(record.PayloadID{2})
	os.MkdirAll(filepath.Dir(left), 0o700)
	os.WriteFile(left, nil, 0o600)
	if _, err := f.store.Verify(t.Context(), func(FileReport) { f.sweep(0) }); err != nil {
		t.Fatal(err)
	}
	f.spoil(func(tx *bolt.Tx) error {
		return tx.Bucket(record.BucketPayloads).Delete(append([]byte{1}, make([]byte, 31)...))
	})
	_, err := f.store.Sweep(t.Context())
	wantKind(t, "a list that lost a part", err, messages.DataLoss)
	if report, _ := f.store.Verify(t.Context(), nil); report.OK() {
		t.Error("verify finds nothing")
	}
	f.spoil(func(tx *bolt.Tx) error {
		b := tx.Bucket(record.BucketPayloads)
		return b.SetSequence(b.Sequence() - 1)
	})
	f.sweep(1)
}

// Checkpoints, seals, retention and sweeps at once: nothing is missing at the end.
func TestSweepAmongWriters(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Now = nil })
	stop := make(chan struct{})
	var sweeper sync.WaitGroup
	sweeper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := f.store.Sweep(context.Background()); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for head := messages.Seq(0); head < 60; head += 2 {
		a := heavy(sid(1), head, 2)
		if head%4 == 0 {
			f.store.Stage(a)
		}
		f.commit(a)
		switch head % 6 {
		case 2:
			f.checkpoint()
		case 4:
			f.seal()
		}
	}
	close(stop)
	sweeper.Wait()
	for i, e := range f.history(sid(1)) {
		if !bytes.Equal(e.Bytes, payload(i+1)) {
			t.Errorf("event %d is %d bytes", i+1, len(e.Bytes))
		}
	}
}

// A payload that is damaged, shorter or missing is an error that names it, and affects
// its session only.
func TestDamagedPayload(t *testing.T) {
	for how, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 1000) },
		"flipped": func(path string) error {
			data, err := os.ReadFile(path)
			data[len(data)/2] ^= 1
			return writeErr(err, path, data)
		},
	} {
		t.Run(how, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = true
			f.commit(heavy(sid(1), 0, 3), full(sid(2), 0))
			f.checkpoint()
			for _, text := range []string{"payload 2 ", "payload 1000 "} {
				if err := spoil(f.holding(text)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := f.store.Events(sid(1), 0, 0, 0)
			if len(got) != 1 || err != nil {
				t.Errorf("up to it: %d events, %v", len(got), err)
			}
			_, err = f.store.Events(sid(1), 1, 0, 0)
			wantKind(t, "read", err, messages.DataLoss)
			if !strings.Contains(err.Error(), "events/1/2: payload ") {
				t.Errorf("it says %v", err)
			}
			_, err = f.store.Load(sid(1))
			wantKind(t, "load", err, messages.DataLoss)
			if got, err := f.store.Events(sid(1), 2, 0, 0); len(got) != 1 || err != nil {
				t.Errorf("behind it: %d events, %v", len(got), err)
			}
			f.unharmed(sid(2))
			report, err := f.store.Verify(t.Context(), nil)
			if err != nil || len(report.Problems) != 2 {
				t.Errorf("verify: %v, %v", report.Problems, err)
			}
		})
	}
}

func writeErr(err error, path string, data []byte) error {
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// Each step of moving payloads out of line, and of sweeping, leaves a directory
// that opens with everything.
func TestCrashAtEveryStepOfAPayload(t *testing.T) {
	pictures := t.TempDir()
	var steps []string
	f := newFixture(t)
	f.commit(heavy(sid(2), 0, 1))
	f.seal()
	directory := f.options.Directory
	note := func(step string) error {
		steps = append(steps, fmt.Sprintf("%02d %s", len(steps), step))
		copyTree(t, directory, filepath.Join(pictures, steps[len(steps)-1]))
		return nil
	}
	f.commit(heavy(sid(1), 0, 2))
	want := f.picture()
	f.store.options.steps, f.store.blobs.Steps = note, note
	f.checkpoint()
	moved := len(steps)
	f.store.options.RetainBytes = 1
	f.retain(1)
	f.sweep(1) // the input of the second waits
	f.store.options.steps, f.store.blobs.Steps = nil, nil
	if moved < 8 || len(steps) < moved+3 {
		t.Fatalf("steps: %v", steps)
	}
	for i, step := range steps {
		t.Run(step, func(t *testing.T) {
			g := makeFixture(t, filepath.Join(pictures, step))
			g.open()
			defer g.finish()
			for _, then := range []func(){func() {}, func() { g.store.Sweep(t.Context()) }, g.seal, func() { g.store.Sweep(t.Context()) }} {
				then()
				same(t, "session", g.load(sid(1)), f.load(sid(1)))
				sameEvents(t, "events", g.history(sid(1)), heavy(sid(1), 0, 2).Events)
				if i < moved {
					same(t, "journal", g.picture(), want)
				}
			}
			report, err := g.store.Verify(t.Context(), nil)
			if last := report.Files[len(report.Files)-1]; err != nil || !report.OK() || last.Name != blob.DirectoryName {
				t.Errorf("verify: %+v, %v", report, err)
			}
		})
	}
}

// Where payloads cannot be written nothing is moved, nothing is lost, and the checkpoint
// is retried.
func TestNoRoomForAPayload(t *testing.T) {
	f := newFixture(t)
	f.commit(heavy(sid(1), 0, 2))
	want := f.picture()
	if err := os.WriteFile(f.path(blob.DirectoryName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "checkpoint", f.store.Checkpoint(), messages.Unavailable)
	wantKind(t, "seal", f.store.Seal(), messages.Unavailable)
	f.commit(more(sid(1), 2, 1))
	f.crash()
	if err := os.Remove(f.path(blob.DirectoryName)); err != nil {
		t.Fatal(err)
	}
	f.checkpoint()
	f.store.Events(sid(1), 0, 0, 0)
	same(t, "events", f.picture().Histories[sid(1)][:2], want.Histories[sid(1)])
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
