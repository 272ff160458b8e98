package persistence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/planlog"
)

// Verify finds every flipped bit of the journal of an orchestration.
func TestVerifyFindsFlippedBitsOfPlans(t *testing.T) {
	option, directory := withPlans(t)
	f := newFixture(t, option)
	f.damaged = true
	f.commit(begin(sid(1), 1))
	p := newPlan(t, directory, planID)
	p.add(messages.EventStepStarted, messages.EventCompleted)
	text := p.bytes()
	if r, err := f.store.Verify(t.Context(), nil); err != nil || !r.OK() {
		t.Fatal(r, err)
	}
	for at := range text[:len(text)-1] { // without its end the last line is what a crash leaves
		for bit := range 8 {
			text[at] ^= 1 << bit
			p.write(text)
			c, err := planlog.Check(t.Context(), p.path, int64(len(text)))
			if text[at] ^= 1 << bit; err != nil || c.Damage == nil {
				t.Fatalf("bit %d of byte %d: %+v, %v", bit, at, c, err)
			}
		}
	}
	text[len(text)/2] ^= 4
	p.write(text)
	r, err := f.store.Verify(t.Context(), nil)
	if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].String(), "orchestrations/"+string(planID)+".log") {
		t.Errorf("%v, %v", r.Problems, err)
	}
}

// A backup from which orchestrations were taken or cut is damaged.
func TestVerifyFindsWhatABackupLacks(t *testing.T) {
	option, directory := withPlans(t)
	f := newFixture(t, option)
	f.commit(begin(sid(1), 1))
	newPlan(t, directory, planID).add(messages.EventStepStarted, messages.EventCompleted)
	for name, spoil := range map[string]func(path string, text []byte) error{
		"missing": func(path string, _ []byte) error { return os.Remove(path) },
		"bytes of": func(path string, text []byte) error {
			cut := strings.LastIndexByte(string(text[:len(text)-1]), '\n') + 1
			return os.WriteFile(path, text[:cut], 0o600)
		},
		"LIST": func(path string, _ []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(path), "LIST"), []byte("nonsense\n"), 0o600)
		},
	} {
		path := filepath.Join(t.TempDir(), "backup")
		if _, err := f.store.Backup(t.Context(), path, false); err != nil {
			t.Fatal(err)
		}
		copied := planlog.Path(filepath.Join(path, planlog.DirectoryName), planID)
		text, err := os.ReadFile(copied)
		if err == nil {
			err = spoil(copied, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		g := makeFixture(t, path, func(o *Options) { o.ReadOnly = true })
		g.open()
		r, err := g.store.Verify(t.Context(), nil)
		if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].String(), name) {
			t.Errorf("%s: %v, %v", name, r.Problems, err)
		}
		g.close()
		state := t.TempDir()
		o := RestoreOptions{
			Backup: path, Directory: filepath.Join(state, "journal"), RunsDirectory: filepath.Join(state, "runs"),
			PlansDirectory: filepath.Join(state, planlog.DirectoryName),
		}
		_, err = Restore(t.Context(), o)
		wantKind(t, name, err, messages.DataLoss)
		o.Damaged = true
		if _, err = Restore(t.Context(), o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A repair cuts a journal before its damage and pauses the orchestration, unless it had ended; the journal as it was is kept.
func TestRepairOfPlans(t *testing.T) {
	for name, c := range map[string]struct {
		kinds []messages.OrchestrationEventKind
		line  int // that is damaged, from 0
		head  uint64
		ended bool
		lost  bool
	}{
		"in the middle": {[]messages.OrchestrationEventKind{messages.EventStepStarted, messages.EventStopping, messages.EventFailed}, 2, 2, false, false},
		"after the end": {[]messages.OrchestrationEventKind{messages.EventStepStarted, messages.EventFailed, messages.EventRetried}, 3, 2, true, false},
		"the plan":      {[]messages.OrchestrationEventKind{messages.EventStepStarted}, 0, 0, false, true},
	} {
		option, directory := withPlans(t)
		f := makeFixture(t, filepath.Join(t.TempDir(), "journal"), option)
		f.open()
		f.commit(begin(sid(1), 1))
		f.close()
		p := newPlan(t, directory, planID)
		p.add(c.kinds...)
		lines := strings.SplitAfter(string(p.bytes()), "\n")
		lines[c.line] = strings.Replace(lines[c.line], `"`, `'`, 1)
		damaged := strings.Join(lines, "")
		p.write([]byte(damaged))
		o := RepairOptions{Directory: f.options.Directory, Plans: directory}
		r, err := Repair(t.Context(), o)
		if err != nil || r.Needed || !r.Due() || r.Plans != 1 || r.AsidePlans != "" || string(p.bytes()) != damaged {
			t.Fatalf("%s: looked: %+v, %v", name, r, err)
		}
		o.Apply = true
		if r, err = Repair(t.Context(), o); err != nil || r.Aside != "" {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		kept, err := os.ReadFile(planlog.Path(r.AsidePlans, planID))
		if err != nil || string(kept) != damaged {
			t.Errorf("%s: kept %q, %v", name, kept, err)
		}
		all := survey(t, directory)
		if c.lost {
			if len(all) != 0 {
				t.Errorf("%s: %+v", name, all)
			}
			continue
		}
		if len(all) != 1 || all[0].Damage != nil || all[0].Head != c.head || all[0].Ended != c.ended {
			t.Errorf("%s: %+v", name, all)
		}
		if paused := strings.Contains(string(p.bytes()), fmt.Sprintf("%q:%q", "kind", messages.EventPaused)); paused == c.ended {
			t.Errorf("%s: paused %v", name, paused)
		}
		if r, err = Repair(t.Context(), o); err != nil || r.Due() {
			t.Errorf("%s, again: %+v, %v", name, r, err)
		}
	}
}
