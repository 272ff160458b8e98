package launchplan

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/cgroup"
	"betcode/actors/internal/process"
	"betcode/actors/settings"
	"betcode/messages"
)

// A plan has the program behind its name, the present environment and the settings of the run.
func TestSpec(t *testing.T) {
	bin, runs := t.TempDir(), filepath.Join(t.TempDir(), "runs")
	program := filepath.Join(bin, "agent")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	now := settings.Default()
	unavailable := &cgroup.UnavailableError{Reason: "no controller", Mend: "Delegate it."}
	var enabled error = unavailable
	p := New(Deps{
		Program: program, Inherited: []string{"KEY=sk"}, Runs: runs, Lease: filepath.Join(runs, "lock"),
		Settings: func() *settings.Settings { return &now }, EnableMemory: func() error { return enabled },
	})
	session := messages.SessionRecord{ID: "0123456789", WorkingDirectory: bin}
	run := messages.RunRecord{Directory: filepath.Join(runs, "1"), Argv: []string{"agent", "-p"}, Token: "t", Environment: map[string]string{"A": "b"}}
	spec, err := p.Spec(session, run, false)
	if err != nil || spec.Program != program || spec.Dir != bin || spec.Directory != run.Directory || spec.Token != "t" || len(spec.Fence) > 0 {
		t.Errorf("%+v, %v", spec, err)
	}
	if !slices.Equal(spec.Argv, run.Argv) || !slices.Equal(spec.Env[:2], []string{"KEY=sk", "A=b"}) {
		t.Errorf("%q with %q", spec.Argv, spec.Env)
	}
	resumed, err := p.Spec(session, run, true)
	if err != nil || slices.Equal(resumed.Env, spec.Env) {
		t.Errorf("a turn is continued with %q, %v", resumed.Env, err)
	}
	if got := p.Temporary(session.ID); got != filepath.Join(filepath.Dir(runs), "tmp", "01234567") {
		t.Errorf("temporary files in %s", got)
	}

	if c, shown := p.MemoryHealth(time.Now()); shown || spec.MemoryMax != 0 {
		t.Errorf("without a limit: %+v, %+v", c, spec)
	}
	now.MemoryMax = 1 << 30
	if spec, err := p.Spec(session, run, false); err != nil || spec.MemoryMax != 0 {
		t.Errorf("where memory cannot be limited: %+v, %v", spec, err)
	}
	if c, _ := p.MemoryHealth(time.Now()); !c.Serving || c.State != "memory_limit_unavailable" || c.Reason != "no controller" || !strings.Contains(c.Message, "Delegate it.") {
		t.Errorf("%+v", c)
	}
	enabled = nil
	if spec, err := p.Spec(session, run, false); err != nil || spec.MemoryMax != 1<<30 {
		t.Errorf("with a limit: %+v, %v", spec, err)
	}
	if c, _ := p.MemoryHealth(time.Now()); !c.Serving || c.State != "" || !strings.Contains(c.Message, "1024 MiB") {
		t.Errorf("%+v", c)
	}

	os.Remove(program)
	_, err = p.Spec(session, run, false)
	var start *process.StartError
	if !errors.As(err, &start) || start.Stage != process.StageExecute {
		t.Errorf("without a program: %v", err)
	}
}

// A fenced agent is not started where a symbolic link leads elsewhere than when its session was created.
func TestResolvedDirectory(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link, one, two := filepath.Join(root, "link"), filepath.Join(root, "one"), filepath.Join(root, "two")
	for _, dir := range []string{one, two} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(one, link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, c := range []struct {
		session messages.SessionRecord
		want    string
	}{
		{messages.SessionRecord{WorkingDirectory: one}, one},
		{messages.SessionRecord{WorkingDirectory: link, Resolved: one}, one},
		{messages.SessionRecord{WorkingDirectory: link, Resolved: two}, ""},
		{messages.SessionRecord{WorkingDirectory: link}, ""},
		{messages.SessionRecord{WorkingDirectory: filepath.Join(root, "none")}, ""},
	} {
		got, err := resolvedDirectory(c.session)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v", c.session, got, err)
		}
	}
}
