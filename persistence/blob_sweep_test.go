package persistence

import (
	"bytes"
	"context"
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

func (f *fixture) sweep(want int) {
	f.Helper()
	if n, err := f.store.Sweep(context.Background()); n != want || err != nil {
		f.Errorf("%d swept, %v; want %d", n, err, want)
	}
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
	f.commit(messages.Append{Session: sid(1), Expect: 3, Done: []string{"heavy"}})
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
