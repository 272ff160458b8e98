package process

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// TestGoldenRunDirectories: the run directories and launcher records of every layout that
// was ever released are understood. Those of version 1 were made by hand from what a
// launcher writes; a new layout adds a directory beside them.
func TestGoldenRunDirectories(t *testing.T) {
	for name, want := range map[string]Fate{
		"v1/ended":   {Outcome: Ended, Exit: messages.Exit{Known: true, Code: 3, Reason: "exited"}},
		"v1/killed":  {Outcome: Ended, Exit: messages.Exit{Known: true, Signal: "SIGTERM", Reason: LeaseEnded}},
		"v1/unseen":  {Outcome: Ended, Exit: messages.Exit{Reason: "the end was not recorded: the machine was restarted"}},
		"v1/refused": {Outcome: NeverStarted, Exit: messages.Exit{Reason: "never started: directory: no such file or directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "runs", name))); err != nil {
				t.Fatal(err)
			}
			p, fate, err := Adopt(t.Context(), messages.RunRecord{Format: 1, Directory: dir, Token: "a token of long ago"})
			if err != nil || p != nil {
				t.Fatalf("%v, %v", p, err)
			}
			if seen := !fate.Exit.At.IsZero(); !seen {
				t.Error("nobody knows when")
			}
			fate.Exit.At = want.Exit.At
			if fate.Outcome != want.Outcome || fate.Exit != want.Exit {
				t.Errorf("%+v, want %+v", fate, want)
			}
			if name == "v1/refused" && (fate.Start == nil || fate.Start.Stage != launch.StageDirectory || fate.Start.Err == nil) {
				t.Errorf("started: %+v", fate.Start)
			}
		})
	}
}

// TestGoldenRecordsAreWhatIsWritten: what a launcher of today writes has the members
// of the newest golden record and no others; else a new layout is due.
func TestGoldenRecordsAreWhatIsWritten(t *testing.T) {
	r := started(t, "agent")
	if err := r.p.KillTree(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wait()
	for file, golden := range map[string]string{launch.StartedFile: "v1/ended", launch.EndedFile: "v1/ended"} {
		now, then := members(t, filepath.Join(r.spec.Directory, file)), members(t, filepath.Join("testdata", "runs", golden, file))
		if len(now) != len(then) {
			t.Errorf("%s has %v, it had %v", file, now, then)
		}
		for name := range then {
			if !now[name] {
				t.Errorf("%s has no %s any more", file, name)
			}
		}
	}
}

func members(t *testing.T, path string) map[string]bool {
	t.Helper()
	var record map[string]any
	if err := readRecord(path, &record); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for name := range record {
		names[name] = true
	}
	return names
}

// TestAdoptAHundred adopts a hundred agents, one after the other, and logs how long
// that took.
func TestAdoptAHundred(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two hundred processes")
	}
	all := make([]*run, 100)
	for i := range all {
		r := prepared(t, "")
		r.spec.Program, r.spec.Argv = "/bin/sleep", []string{"sleep", "1000"}
		r.spawn()
		all[i] = r
	}
	for _, r := range all {
		r.p.Close()
	}
	began := time.Now()
	for _, r := range all {
		p, fate, err := Adopt(t.Context(), r.record())
		if err != nil || fate.Outcome != Running {
			t.Fatalf("%+v, %v", fate, err)
		}
		r.p = p
	}
	t.Logf("a hundred agents adopted in %s", time.Since(began))
}
