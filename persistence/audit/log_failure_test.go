package audit

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"betcode/messages"
)

// failing is an open log whose disk can fail and recover, and the calls of Failing.
type failing struct {
	*Log
	t       *testing.T
	reports []error // guarded by mu
}

func fails(t *testing.T) *failing {
	f := &failing{t: t}
	f.Log = open(t, Options{Directory: filepath.Join(t.TempDir(), "audit"), Failing: func(err error) { f.reports = append(f.reports, err) }})
	return f
}

// gone removes the disk, also for the file that is open.
func (f *failing) gone() {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.decisions.file.Close()
	if err := os.Rename(f.options.Directory, f.options.Directory+".away"); err != nil {
		f.t.Fatal(err)
	}
}

func (f *failing) back() {
	f.t.Helper()
	if err := os.Rename(f.options.Directory+".away", f.options.Directory); err != nil {
		f.t.Fatal(err)
	}
}

// fails checks the number of reported changes, failures and recoveries in turn.
func (f *failing) fails(changes int) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, err := range f.reports {
		if (err != nil) != (i%2 == 0) {
			f.t.Errorf("reports %v", f.reports)
		}
	}
	if len(f.reports) != changes {
		f.t.Errorf("reports %v, want %d changes", f.reports, changes)
	}
}

// lost returns the number of lost entries in the last entry.
func (f *failing) lost() string {
	f.t.Helper()
	entries := all(f.t, f.Log, messages.AuditFilter{Types: []messages.AuditType{messages.AuditLost}})
	if len(entries) == 0 {
		return ""
	}
	return entries[len(entries)-1].Context["entries"]
}

func TestLostEntriesAreReported(t *testing.T) {
	l := fails(t)
	l.gone()
	for range 3 {
		l.Record(granted)
	}
	l.fails(1)
	l.back()
	l.Record(granted)
	l.fails(2)
	if entries := all(t, l.Log, messages.AuditFilter{}); len(entries) != 3 || entries[1].Type != messages.AuditLost || l.lost() != "3" {
		t.Errorf("%+v", entries)
	}
}

// A log without new entries is retried by itself, and entries that could not be synced
// count as lost.
func TestLogMendsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := fails(t)
		defer l.Close()
		pass := func(d time.Duration) {
			time.Sleep(d + time.Millisecond)
			synctest.Wait()
		}
		l.Record(granted)
		l.Record(granted)
		l.gone()
		pass(syncAfter)
		l.fails(1)
		pass(time.Hour)
		l.fails(1)
		l.back()
		pass(mendEvery)
		l.fails(2)
		if l.lost() != "2" {
			t.Errorf("lost %s", l.lost())
		}
		l.gone()
		l.Record(granted)
		l.back()
		pass(mendEvery)
		l.fails(4)
		if l.lost() != "1" {
			t.Errorf("then lost %s", l.lost())
		}
	})
}
