package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"betcode/tests/kit"
)

func main() {
	var o options
	flag.IntVar(&o.sessions, "sessions", 10_000, "how many sessions the journal has")
	flag.IntVar(&o.rounds, "rounds", 100, "how often each command runs at most")
	flag.DurationVar(&o.each, "each", 4*time.Second, "for how long each command runs again, at least five times")
	flag.BoolVar(&o.strict, "strict", false, "fail if a median is above its limit")
	flag.StringVar(&o.program, "program", filepath.Join("bin", "betcode"), "the program that is measured: that of 'make build'")
	only := flag.String("run", "", "measure the figures whose names match this regular expression")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err != nil || o.sessions < 1 || o.rounds < 1 {
		fmt.Fprintln(os.Stderr, "usage: benchcli [-sessions N] [-rounds N] [-each DURATION] [-strict] [-program PATH] [-run REGEXP]", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	within, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || o.strict && !within {
		os.Exit(1)
	}
}

// options select what is measured.
type options struct {
	sessions, rounds int
	each             time.Duration
	strict           bool
	program          string
	only             *regexp.Regexp
}

// settings enable the measured features that are off by default.
const settings = `{"feature_flags": {"worktree_management": true, "subagent_orchestration": true}}`

// run measures and prints, and reports whether every median is within its limit.
func run(ctx context.Context, o options) (within bool, err error) {
	betcode, err := filepath.Abs(o.program)
	if err != nil {
		return false, err
	}
	size, err := os.Stat(betcode)
	if err != nil {
		return false, fmt.Errorf("find the program: %w; run 'make build'", err)
	}
	programs, err := os.MkdirTemp("", "bcbench")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(programs)
	agent := filepath.Join(programs, "claude")
	if err := build(ctx, agent, "./tests/fakeagent"); err != nil {
		return false, err
	}
	w, err := kit.NewWorld(betcode, agent, "BETCODE_MAX_AGENTS=20")
	if err == nil {
		w.Extra = append(w.Extra, "BETCODE_LOG_FILE="+filepath.Join(w.StateDir(), "daemon.log"))
	}
	if err != nil {
		return false, err
	}
	defer func() {
		w.End()
		if gone := w.Remove(); err == nil {
			err = gone
		}
	}()
	if err := os.WriteFile(filepath.Join(w.ConfigDir(), "settings.json"), []byte(settings), 0o600); err != nil {
		return false, err
	}
	past, err := placePast(ctx, w, o.sessions)
	if err != nil {
		return false, err
	}
	d, err := w.Start(ctx)
	if err != nil {
		return false, err
	}
	defer d.Kill()
	b := &bench{world: w, daemon: d, past: past}
	defer func() {
		for _, end := range b.ends {
			end()
		}
	}()
	if err := b.prepare(ctx); err != nil {
		return false, err
	}
	return report(ctx, os.Stdout, b, o, size.Size())
}

// build builds a program of the tests.
func build(ctx context.Context, at, pkg string) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", at, pkg)
	c.Dir, c.Env = kit.Repository(), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
