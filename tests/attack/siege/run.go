package siege

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"betcode/tests/claudecli"
	"betcode/tests/kit"
)

// Options select the scenarios and how they run.
type Options struct {
	Only     *regexp.Regexp
	Parallel int // scenarios at once
	Verbose  bool
	Out      io.Writer
}

// binaries are the programs of the scenarios, built once from this checkout.
type binaries struct{ betcode, fake, Probe, claude string }

// Result counts cases. A scenario that did not come to its end is an open case; what
// could not be tried is none.
type Result struct{ Cases, Held, Untried int }

// Open counts the cases that did not hold.
func (r Result) Open() int { return r.Cases - r.Held }

// Run plays scenarios and prints the findings, with the summary as the last line.
func Run(ctx context.Context, scenarios []Scenario, o Options) (Result, error) {
	dir, err := os.MkdirTemp("", "bcattack")
	if err != nil {
		return Result{}, fmt.Errorf("make a directory for the binaries: %w", err)
	}
	defer os.RemoveAll(dir)
	built, err := build(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	var (
		told    Result
		mutex   sync.Mutex
		group   sync.WaitGroup
		working = make(chan struct{}, max(o.Parallel, 1))
	)
	for _, s := range scenarios {
		if o.Only != nil && !o.Only.MatchString(s.Name) {
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
			report(o, s.Name, cases, &told)
		})
	}
	group.Wait()
	fmt.Fprintln(o.Out, told)
	return told, ctx.Err()
}

// String is the last line of an attack.
func (r Result) String() string {
	line := fmt.Sprintf("attack: cases=%d held=%d open=%d", r.Cases, r.Held, r.Open())
	if r.Untried > 0 {
		line += fmt.Sprintf(" untried=%d", r.Untried)
	}
	return line
}

// report prints the cases of a scenario and counts them.
func report(o Options, name string, cases []outcome, told *Result) {
	for _, c := range cases {
		if !c.tried {
			told.Untried++
			fmt.Fprintf(o.Out, "UNTRIED  %s / %s\n", name, c.name)
			continue
		}
		told.Cases++
		switch {
		case c.held:
			told.Held++
			if o.Verbose {
				fmt.Fprintf(o.Out, "held  %s / %s\n", name, c.name)
			}
		default:
			fmt.Fprintf(o.Out, "OPEN  %s / %s: %s\n", name, c.name, c.detail)
		}
	}
}

// build compiles the daemon and the fake agent, and fetches the real one if needed.
func build(ctx context.Context, dir string) (binaries, error) {
	built := binaries{betcode: filepath.Join(dir, "betcode"), fake: filepath.Join(dir, "fakeagent"), Probe: filepath.Join(dir, "probe")}
	for _, target := range [][2]string{{built.betcode, "betcode/cmd/betcode"}, {built.fake, "betcode/tests/fakeagent"}, {built.Probe, "betcode/tests/attack/probe"}} {
		if err := kit.Build(ctx, target[0], target[1]); err != nil {
			return built, err
		}
	}
	claude, err := claudecli.Ensure(ctx, os.Stderr)
	if err != nil {
		return built, fmt.Errorf("fetch the agent: %w", err)
	}
	built.claude = claude
	return built, nil
}
