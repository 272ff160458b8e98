package persistence

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"betcode/messages"
	"betcode/persistence/planlog"
)

const planID = messages.OrchestrationID("0d8a2c5e-0000-4000-8000-000000000001")

// withPlans gives a journal a directory of journals of orchestrations.
func withPlans(t *testing.T) (func(*Options), string) {
	t.Helper()
	directory := filepath.Join(t.TempDir(), planlog.DirectoryName)
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Plans = directory }, directory
}

// planJournal is the journal of an orchestration that is written.
type planJournal struct {
	*testing.T

	path   string
	offset int64
	head   uint64
}

func newPlan(t *testing.T, directory string, id messages.OrchestrationID) *planJournal {
	t.Helper()
	p := &planJournal{T: t, path: planlog.Path(directory, id)}
	header := map[string]any{"format": 1, "id": id, "created_at": epoch, "plan": map[string]any{"name": "fix", "steps": []any{}}}
	if err := planlog.Create(p.path, header); err != nil {
		t.Fatal(err)
	}
	p.offset = int64(len(p.bytes()))
	return p
}

func (p *planJournal) add(kinds ...messages.OrchestrationEventKind) {
	p.Helper()
	for _, kind := range kinds {
		p.head++
		var err error
		p.offset, err = planlog.Append(p.path, p.offset, []messages.OrchestrationEvent{{Seq: p.head, At: epoch, Kind: kind}})
		if err != nil {
			p.Error(err)
		}
	}
}

func (p *planJournal) bytes() []byte {
	p.Helper()
	text, err := os.ReadFile(p.path)
	if err != nil {
		p.Fatal(err)
	}
	return text
}

func (p *planJournal) write(text []byte) {
	p.Helper()
	if err := os.WriteFile(p.path, text, 0o600); err != nil {
		p.Fatal(err)
	}
}

func survey(t *testing.T, directory string) []planlog.Checked {
	t.Helper()
	all, err := planlog.Survey(t.Context(), directory)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A backup has the orchestrations as they were; a restore puts them in place, and reports what was newer.
func TestBackupAndRestoreOfPlans(t *testing.T) {
	option, directory := withPlans(t)
	f := newFixture(t, option)
	f.commit(begin(sid(1), 3))
	p := newPlan(t, directory, planID)
	p.add(messages.EventStepStarted, messages.EventStepCompleted)
	whole := string(p.bytes())
	p.write([]byte(whole + "0123456")) // a line that is being written
	path := filepath.Join(t.TempDir(), "backup")
	if b, err := f.store.Backup(t.Context(), path, false); err != nil || b.Files != 2 {
		t.Fatalf("%+v, %v", b, err)
	}
	readBackup(t, path)
	p.add(messages.EventStepStarted)
	other := messages.OrchestrationID("1d8a2c5e-0000-4000-8000-000000000001")
	newPlan(t, directory, other)

	o := presentCopy(t, f, path)
	o.PlansDirectory = filepath.Join(filepath.Dir(o.Directory), planlog.DirectoryName)
	copyTree(t, directory, o.PlansDirectory)
	r, err := Restore(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	lost := map[messages.OrchestrationID]PlanLoss{}
	for _, l := range r.LostPlans {
		lost[l.Orchestration] = l
	}
	if r.Plans != 1 || len(lost) != 2 || lost[planID].Events() != 1 || lost[planID].Whole || !lost[other].Whole || lost[planID].Name != "fix" {
		t.Errorf("%+v", r)
	}
	if got, err := os.ReadFile(planlog.Path(o.PlansDirectory, planID)); err != nil || !strings.HasPrefix(string(got), whole) || !strings.Contains(string(got[len(whole):]), `"restored"`) {
		t.Errorf("restored %q: %v", got, err)
	}
	if all := survey(t, o.PlansDirectory); len(all) != 1 {
		t.Errorf("restored %+v", all)
	}
	if len(r.Aside) != 2 || len(survey(t, r.Aside[1])) != 2 {
		t.Errorf("aside: %v", r.Aside)
	}
}

// A backup of an older build has no orchestrations. Those that are there refer to sessions that are replaced, and are moved aside.
func TestRestoreWithoutPlans(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	o := presentCopy(t, f, f.backup(t, false))
	o.PlansDirectory = filepath.Join(t.TempDir(), planlog.DirectoryName)
	if err := os.Mkdir(o.PlansDirectory, 0o700); err != nil {
		t.Fatal(err)
	}
	newPlan(t, o.PlansDirectory, planID)
	o.Replace = false
	o.Directory = filepath.Join(t.TempDir(), "journal")
	_, err := Restore(t.Context(), o)
	wantKind(t, "orchestrations are there", err, messages.AlreadyExists)
	o.Replace = true
	r, err := Restore(t.Context(), o)
	if err != nil || len(r.LostPlans) != 1 || r.Plans != 0 || len(survey(t, o.PlansDirectory)) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Sessions and orchestrations go on while backups are made: each backup has both as they were at one moment. Here an event of
// the orchestration comes before each commit of a session, and the next after it.
func TestBackupAgreesWithPlans(t *testing.T) {
	option, directory := withPlans(t)
	f := newFixture(t, option)
	f.commit(begin(sid(1), 0))
	p := newPlan(t, directory, planID)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for head := messages.Seq(0); ; head++ {
			select {
			case <-stop:
				return
			default:
			}
			p.add(messages.EventStepStarted)
			if err := f.store.Commit([]messages.Append{more(sid(1), head, 1)})[0]; err != nil {
				t.Errorf("commit: %v", err)
			}
		}
	})
	for range 20 {
		path := filepath.Join(t.TempDir(), "backup")
		if _, err := f.store.Backup(t.Context(), path, false); err != nil {
			t.Fatal(err)
		}
		g := readBackup(t, path)
		head, err := g.store.Head(sid(1))
		if err != nil {
			t.Fatal(err)
		}
		started := survey(t, filepath.Join(path, planlog.DirectoryName))[0].Head
		if started != uint64(head) && started != uint64(head)+1 {
			t.Errorf("the session has %d events, the orchestration %d", head, started)
		}
	}
	close(stop)
	wg.Wait()
}
