package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"betcode/tests/claudecli"
	"betcode/tests/kit"
)

// options select the scenarios and versions.
type options struct {
	versions []string
	only     *regexp.Regexp
	parallel int           // scenarios at once
	patience time.Duration // for one scenario
	out      io.Writer
}

// verdict is the result of a scenario with a version.
type verdict string

const (
	passed  verdict = "ok"
	differs verdict = "differs"
	failed  verdict = "FAIL"
)

// outcome is a verdict with its explanation.
type outcome struct {
	verdict verdict
	detail  string
}

// matrix is what all scenarios came to with all versions.
type matrix struct {
	versions  []string
	scenarios []scenario
	outcomes  map[string]map[string]outcome // by version and scenario
}

// run plays the scenarios with the versions.
func run(ctx context.Context, o options) (matrix, error) {
	told := matrix{versions: o.versions, outcomes: map[string]map[string]outcome{}}
	for _, s := range scenarios {
		if o.only == nil || o.only.MatchString(s.name) {
			told.scenarios = append(told.scenarios, s)
		}
	}
	dir, err := os.MkdirTemp("", "bcfidelity")
	if err != nil {
		return told, fmt.Errorf("make a directory for the daemon: %w", err)
	}
	defer os.RemoveAll(dir)
	daemon := filepath.Join(dir, "betcode")
	if err := kit.Build(ctx, daemon, "betcode/cmd/betcode"); err != nil {
		return told, err
	}
	var (
		mutex   sync.Mutex
		group   sync.WaitGroup
		working = make(chan struct{}, max(o.parallel, 1))
	)
	for _, version := range o.versions {
		agent, err := claudecli.EnsureVersion(ctx, version, os.Stderr)
		if err != nil {
			return told, fmt.Errorf("fetch version %s: %w", version, err)
		}
		told.outcomes[version] = map[string]outcome{}
		for _, s := range told.scenarios {
			working <- struct{}{}
			group.Go(func() {
				defer func() { <-working }()
				came := play(ctx, s, version, daemon, agent, o.patience)
				mutex.Lock()
				defer mutex.Unlock()
				told.outcomes[version][s.name] = came
				if came.verdict != passed {
					fmt.Fprintf(o.out, "%-8s %s / %s: %s\n", came.verdict, version, s.name, came.detail)
				}
			})
		}
	}
	group.Wait()
	return told, ctx.Err()
}

// count is how many outcomes have a verdict.
func (m matrix) count(v verdict) (n int) {
	for _, row := range m.outcomes {
		for _, o := range row {
			if o.verdict == v {
				n++
			}
		}
	}
	return n
}

// summary is the last line.
func (m matrix) summary() string {
	return fmt.Sprintf("fidelity: versions=%d scenarios=%d ok=%d differ=%d fail=%d",
		len(m.versions), len(m.scenarios), m.count(passed), m.count(differs), m.count(failed))
}
