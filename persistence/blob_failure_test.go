package persistence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/blob"
)

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
