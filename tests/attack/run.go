package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"

	"betcode/tests/claudecli"
	"betcode/tests/kit"
)

// options say which scenarios run and how.
type options struct {
	only     *regexp.Regexp
	parallel int // scenarios at once
	verbose  bool
	out      io.Writer
}

// binaries are what the scenarios run, built once from this checkout.
type binaries struct{ betcode, fake, probe, claude string }

// result counts cases. A scenario that did not come to its end is an open case; what
// could not be tried is none.
type result struct{ cases, held, untried int }

func (r result) open() int { return r.cases - r.held }

// run plays the scenarios and prints what was found, with the summary as the last
// line.
func run(ctx context.Context, o options) (result, error) {
	dir, err := os.MkdirTemp("", "bcattack")
	if err != nil {
		return result{}, fmt.Errorf("make a directory for the binaries: %w", err)
	}
	defer os.RemoveAll(dir)
	built, err := build(ctx, dir)
	if err != nil {
		return result{}, err
	}
	var (
		told    result
		mutex   sync.Mutex
		group   sync.WaitGroup
		working = make(chan struct{}, max(o.parallel, 1))
	)
	for _, s := range scenarios {
		if o.only != nil && !o.only.MatchString(s.name) {
			continue
		}
		working <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-working }()
			cases := play(ctx, s, built)
			mutex.Lock()
			defer mutex.Unlock()
			report(o, s.name, cases, &told)
		})
	}
	group.Wait()
	fmt.Fprintln(o.out, told)
	return told, ctx.Err()
}

// String is the last line of an attack.
func (r result) String() string {
	line := fmt.Sprintf("attack: cases=%d held=%d open=%d", r.cases, r.held, r.open())
	if r.untried > 0 {
		line += fmt.Sprintf(" untried=%d", r.untried)
	}
	return line
}

// report prints the cases of a scenario and counts them.
func report(o options, name string, cases []outcome, told *result) {
	for _, c := range cases {
		if !c.tried {
			told.untried++
			fmt.Fprintf(o.out, "UNTRIED  %s / %s\n", name, c.name)
			continue
		}
		told.cases++
		switch {
		case c.held:
			told.held++
			if o.verbose {
				fmt.Fprintf(o.out, "held  %s / %s\n", name, c.name)
			}
		default:
			fmt.Fprintf(o.out, "OPEN  %s / %s: %s\n", name, c.name, c.detail)
		}
	}
}

// build makes the daemon and the fake agent, and fetches the real one if need be.
func build(ctx context.Context, dir string) (binaries, error) {
	built := binaries{betcode: filepath.Join(dir, "betcode"), fake: filepath.Join(dir, "fakeagent"), probe: filepath.Join(dir, "probe")}
	for _, target := range [][2]string{{built.betcode, "betcode/cmd/betcode"}, {built.fake, "betcode/tests/fakeagent"}, {built.probe, "betcode/tests/attack/probe"}} {
		command := exec.CommandContext(ctx, "go", "build", "-o", target[0], target[1])
		command.Dir, command.Stderr = kit.Repository(), os.Stderr
		if err := command.Run(); err != nil {
			return built, fmt.Errorf("build %s: %w", target[1], err)
		}
	}
	claude, err := claudecli.Ensure(ctx, os.Stderr)
	if err != nil {
		return built, fmt.Errorf("fetch the agent: %w", err)
	}
	built.claude = claude
	return built, nil
}
