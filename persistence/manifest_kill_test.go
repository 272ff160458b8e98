package persistence

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/manifest"
)

// The environment of a process that is to be killed in the middle of a change of the
// manifest: what it does, in which directory, and at which step it ends.
const (
	manifestWork      = "BETCODE_TEST_MANIFEST_WORK"
	manifestDirectory = "BETCODE_TEST_MANIFEST_DIRECTORY"
	manifestStep      = "BETCODE_TEST_MANIFEST_STEP"
)

// change is something that replaces the manifest.
type change struct {
	// prepare makes the journal. Its process is killed, so the logs have rows.
	prepare func(t *testing.T, f *fixture)
	// run does the work; steps kill the process.
	run func(t *testing.T, f *fixture, steps disk.Steps)
}

// opened opens the journal with steps.
func opened(f *fixture, steps disk.Steps) {
	f.options.steps = steps
	f.open()
	f.options.steps = nil
}

// twoSealed makes a journal with two sealed files, rows in the logs, and a payload.
func twoSealed(_ *testing.T, f *fixture) {
	f.open()
	f.commit(full(sid(1), 0), begin(sid(2), 40), heavy(sid(3), 0, 1))
	f.seal()
	f.commit(more(sid(1), 3, 20))
	f.seal()
	f.commit(more(sid(1), 23, 4), more(sid(2), 40, 1))
}

var changes = map[string]change{
	"create": {
		prepare: func(*testing.T, *fixture) {},
		run:     func(_ *testing.T, f *fixture, steps disk.Steps) { opened(f, steps) },
	},
	"seal": {
		prepare: twoSealed,
		run: func(_ *testing.T, f *fixture, steps disk.Steps) {
			f.open()
			f.store.options.steps = steps
			f.seal()
		},
	},
	"drop": {
		prepare: twoSealed,
		run: func(t *testing.T, f *fixture, steps disk.Steps) {
			f.open()
			f.store.options.RetainBytes, f.store.options.steps = 1, steps
			if _, err := f.store.Retain(); err != nil {
				t.Fatal(err)
			}
		},
	},
	"rewrite": {
		prepare: func(t *testing.T, f *fixture) {
			twoSealed(t, f)
			f.commit(messages.Append{Session: sid(3), Delete: true})
			f.give(2, 39)
		},
		run: func(t *testing.T, f *fixture, steps disk.Steps) {
			greedy(&f.options)
			f.open()
			f.store.options.steps = steps
			if done, err := f.store.Reclaim(t.Context(), -1); err != nil || done.Rewritten == 0 {
				t.Fatalf("%+v, %v", done, err)
			}
		},
	},
	"migrate": {
		prepare: func(t *testing.T, f *fixture) {
			copyTree(t, filepath.Join("testdata", "format3", "journal"), f.options.Directory)
		},
		run: func(_ *testing.T, f *fixture, steps disk.Steps) { opened(f, steps) },
	},
	"copy again": {
		prepare: func(t *testing.T, f *fixture) {
			twoSealed(t, f)
			if err := os.Remove(f.path(manifest.Names[1])); err != nil {
				t.Fatal(err)
			}
		},
		run: func(_ *testing.T, f *fixture, steps disk.Steps) {
			f.open()
			f.store.options.steps = steps
			f.seal()
		},
	},
	"repair": {
		prepare: func(t *testing.T, f *fixture) {
			twoSealed(t, f)
			if err := f.eachCopy(os.Remove); err != nil {
				t.Fatal(err)
			}
		},
		run: func(t *testing.T, f *fixture, steps disk.Steps) {
			at := epoch // of another second than the repair that was killed: it names the copy that is kept
			if steps != nil {
				at = epoch.Add(time.Hour)
			}
			o := RepairOptions{Directory: f.options.Directory, Apply: true, Now: func() time.Time { return at }, steps: steps}
			if _, err := Repair(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			f.open()
		},
	},
	"backup": {
		prepare: twoSealed,
		run: func(t *testing.T, f *fixture, steps disk.Steps) {
			f.open()
			f.store.options.steps = steps
			target := f.options.Directory + "-backup"
			if err := errors.Join(os.RemoveAll(target), os.RemoveAll(target+".unfinished")); err != nil {
				t.Fatal(err)
			}
			if _, err := f.store.Backup(t.Context(), target, false); err != nil {
				t.Fatal(err)
			}
		},
	},
	"restore": {
		prepare: func(t *testing.T, f *fixture) {
			twoSealed(t, f)
			if _, err := f.store.Backup(t.Context(), f.options.Directory+"-backup", false); err != nil {
				t.Fatal(err)
			}
			f.commit(more(sid(1), 27, 1))
		},
		run: func(t *testing.T, f *fixture, steps disk.Steps) {
			if err := os.RemoveAll(f.options.Directory + ".unfinished"); err != nil {
				t.Fatal(err)
			}
			_, err := Restore(t.Context(), RestoreOptions{
				Backup: f.options.Directory + "-backup", Directory: f.options.Directory, RunsDirectory: f.options.Directory + "-runs", Replace: true,
				Now: f.options.Now, NewLineage: func() string { return "the lineage of the restored one" }, steps: steps,
			})
			if err != nil {
				t.Fatal(err)
			}
			f.open()
		},
	},
}

// TestKilledAtTheManifest kills a process at each step of each kind of change of the
// manifest. The journal then opens as it was, or as it is after the change; no damage is
// reported; and the change can be made again.
func TestKilledAtTheManifest(t *testing.T) {
	if work := os.Getenv(manifestWork); work != "" {
		killedAtTheManifest(t, work)
		return
	}
	for work, c := range changes {
		t.Run(work, func(t *testing.T) {
			prepared := makeFixture(t, filepath.Join(t.TempDir(), "journal"))
			prepared.leave(func() { c.prepare(t, prepared) })
			done := makeFixture(t, filepath.Join(t.TempDir(), "journal"))
			copyTree(t, filepath.Dir(prepared.options.Directory), filepath.Dir(done.options.Directory))
			c.run(t, done, nil)
			after := done.visible()
			done.close()
			for _, step := range []string{"MANIFEST written", "MANIFEST-2 written", "MANIFEST renamed", "MANIFEST-2 renamed"} {
				f := makeFixture(t, filepath.Join(t.TempDir(), "journal"))
				copyTree(t, filepath.Dir(prepared.options.Directory), filepath.Dir(f.options.Directory))
				f.killed(t, work, step)
				var before picture
				if _, _, err := manifest.Read(f.options.Directory); work != "repair" || err == nil && f.has(manifest.Name) {
					f.open()
					before = f.visible()
					if found := f.store.Findings(); len(found) > 0 && (work != "copy again" || len(found) != 1) {
						t.Errorf("%s: reported as damage: %v", step, found)
					}
					f.verify()
					f.close()
				}
				again := makeFixture(t, f.options.Directory)
				c.run(t, again, nil)
				same(t, step+", made again", again.visible(), after)
				if work != "restore" && work != "repair" && work != "drop" && work != "rewrite" {
					same(t, step, before, after)
				}
				again.verify()
				again.close()
				first, err := os.ReadFile(again.path(manifest.Names[0]))
				second, bad := os.ReadFile(again.path(manifest.Names[1]))
				if err != nil || bad != nil || string(first) != string(second) {
					t.Errorf("%s: the copies differ: %v, %v\n%s\n%s", step, err, bad, first, second)
				}
			}
		})
	}
}

// leave leaves a journal as a process does that is killed.
func (f *fixture) leave(made func()) {
	f.Helper()
	if err := os.MkdirAll(f.options.Directory, 0o700); err != nil {
		f.Fatalf("%v", err)
	}
	made()
	if f.store != nil {
		f.store.options.steps = func(string) error { return errCrash }
		f.close()
	}
}

// has reports whether there is a file.
func (f *fixture) has(name string) bool {
	_, err := os.Stat(f.path(name))
	return err == nil
}

// visible is a picture of what a change of files must not change: histories above the
// marks, and the state of sessions.
func (f *fixture) visible() picture {
	f.Helper()
	p := f.picture()
	for _, s := range p.Sessions {
		if s.Run != nil && strings.HasPrefix(s.Run.Token, "restored-") {
			s.Run.Token, s.Run.Directory = "restored-", "" // random, and of this directory
		}
		low, err := f.store.LowWater(s.Record.ID)
		if err != nil {
			f.Errorf("low water: %v", err)
		}
		if low > 0 {
			delete(p.Histories, s.Record.ID) // a change may drop the bytes below the mark, or not yet
		}
	}
	return p
}

// killed runs a change in a process of its own, which is killed at a step.
func (f *fixture) killed(t *testing.T, work, step string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledAtTheManifest$")
	child.Env = append(os.Environ(), manifestWork+"="+work, manifestDirectory+"="+f.options.Directory, manifestStep+"="+step)
	out, err := child.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || !strings.Contains(ended.String(), "killed") {
		t.Fatalf("%s, %s: the process ended otherwise: %v\n%s", work, step, err, out)
	}
}

func killedAtTheManifest(t *testing.T, work string) {
	f := makeFixture(t, os.Getenv(manifestDirectory))
	at := os.Getenv(manifestStep)
	changes[work].run(t, f, func(step string) error {
		if step == at {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				return err
			}
			time.Sleep(time.Hour)
		}
		return nil
	})
}
