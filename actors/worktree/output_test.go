//go:build unix

package worktree

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"betcode/messages"
)

// read reads the output of a setup from a page on until enough reports true, and returns it with the last page.
func (f *fixture) read(id string, from messages.SetupPage, enough func(text string, page messages.SetupPage) bool) (string, messages.SetupPage) {
	f.Helper()
	text := ""
	deadline := time.After(time.Minute)
	for {
		page, err := f.registry.ReadSetup(messages.ReadSetup{Worktree: id, Run: from.Run, From: from.Next})
		if err != nil {
			f.Fatal(err)
		}
		if text += string(page.Output); enough(text, page) {
			return text, page
		}
		if page.Ended {
			f.Fatalf("it ended with %q: %+v", text, page)
		}
		from = page
		select {
		case <-page.Changed:
		case <-deadline:
			f.Fatalf("only %q", text)
		}
	}
}

func ended(_ string, p messages.SetupPage) bool { return p.Ended }

// The output of a setup is read while it runs, and by later callers.
func TestSetupOutput(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.setup.Commands = []string{"echo one; until [ -e go ]; do sleep 0.01; done; echo two"}
	v := f.create(f.new("fresh"))
	done := make(chan messages.WorktreeSetup)
	go func() { done <- f.setUpNow(v.ID) }()
	text, page := f.read(v.ID, messages.SetupPage{}, func(text string, _ messages.SetupPage) bool { return text != "" })
	if text != "one\n" || page.Status != messages.SetupRunning || page.Ended {
		t.Errorf("%q, %+v", text, page)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		if rec, _ := f.registry.find("test", v.ID); rec.Setup.Output == "one\n" && rec.Setup.Status == messages.SetupRunning {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the record of a setup that runs has no output")
		}
		time.Sleep(5 * time.Millisecond)
	}
	f.write("project-fresh/go", "")
	if rest, last := f.read(v.ID, page, ended); rest != "two\n" || last.Status != messages.SetupReady {
		t.Errorf("%q, %+v", rest, last)
	}
	if got := <-done; got.Output != "one\ntwo\n" {
		t.Errorf("%+v", got)
	}
	for range 2 { // the second time from the record
		if all, last := f.read(v.ID, messages.SetupPage{}, ended); all != "one\ntwo\n" || last.Status != messages.SetupReady {
			t.Errorf("%q, %+v", all, last)
		}
		f.restart()
	}
}

// A setup is canceled while it runs and while it waits. None of its processes is left, also outside of its process group.
func TestSetupCanceled(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	f := newFixture(t)
	f.trusted = true
	f.setup.Commands = []string{"setsid sleep 600 & echo $!; wait", "touch second"}
	v := f.create(f.new("fresh"))
	done := make(chan messages.WorktreeSetup)
	go func() { done <- f.setUpNow(v.ID) }()
	text, page := f.read(v.ID, messages.SetupPage{}, func(text string, _ messages.SetupPage) bool { return strings.HasSuffix(text, "\n") })
	if err := f.registry.CancelSetup(f.Context(), v.ID); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.Status != messages.SetupCanceled || f.exists("project-fresh/second") {
		t.Errorf("%+v", got)
	}
	f.gone(pidIn(t, text))
	if _, last := f.read(v.ID, page, ended); last.Status != messages.SetupCanceled {
		t.Errorf("%+v", last)
	}
	var refused *messages.Error
	if err := f.registry.CancelSetup(f.Context(), v.ID); !errors.As(err, &refused) || refused.Kind != messages.WrongState {
		t.Errorf("it does not run: %v", err)
	}

	if _, err := f.ask(messages.SetupWorktree{Worktree: v.ID, Common: f.common}); err != nil {
		t.Fatal(err)
	}
	canceled := make(chan error)
	go func() { canceled <- f.registry.CancelSetup(f.Context(), v.ID) }()
	<-f.registry.setups.of(v.ID).life.Done()
	if got := f.setUpNow(v.ID); got.Status != messages.SetupCanceled || got.Output != "" && !strings.Contains(got.Output, "cancel") {
		t.Errorf("while it waited: %+v", got)
	}
	if err := <-canceled; err != nil {
		t.Error(err)
	}
}

// The next daemon kills the rest of a setup whose daemon was killed.
func TestOrphansOfSetup(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.setup.Commands = []string{"true"}
	v := f.create(f.new("fresh"))
	rec, _ := f.registry.find("test", v.ID)
	orphan := exec.Command("sleep", "600")
	orphan.Env = append(os.Environ(), setupMark+"="+rec.SetupRun)
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	f.restart()
	if err := orphan.Wait(); err == nil || orphan.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("%v", err)
	}
	if rec, _ = f.registry.find("test", v.ID); rec.Setup.Status != messages.SetupFailed || rec.Setup.Output != interrupted {
		t.Errorf("%+v", rec.Setup)
	}
}

// Setups that have ended are forgotten, oldest first.
func TestSetupsAreBounded(t *testing.T) {
	var s setups
	for n := range 3 * setupsKept {
		s.end(s.begin(string(rune('a' + n))))
	}
	again := s.begin("a")
	s.end(again)
	s.end(again)
	if len(s.runs) != setupsKept || len(s.ended) != setupsKept || s.of("a") != again {
		t.Errorf("%d runs, %d ended", len(s.runs), len(s.ended))
	}
}
