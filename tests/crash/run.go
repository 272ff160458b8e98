package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"betcode/tests/kit"
)

// historyLines is the number of actions that a failed round prints. Where the directory is not kept,
// they are the only record.
const historyLines = 150

// options configure a run of the harness.
type options struct {
	rounds   int
	seed     uint64
	parallel int
	within   time.Duration
	keep     bool
	walk     bool
	only     string // walk: one step at one hit, "name=action@n"
	real     bool
	gateways bool // every round has gateways
	race     bool // build the daemons with the race detector
	out      io.Writer
}

// again is the command that plays a round again.
func (o options) again(s schedule) string {
	args := []string{"go run ./tests/crash"}
	if o.real {
		args = append(args, "-real")
	}
	if o.race {
		args = append(args, "-race")
	}
	if o.gateways {
		args = append(args, "-gateways")
	}
	if o.walk {
		return strings.Join(append(args, "-walk -only", "'"+s.phases[1].kill.point+"'"), " ")
	}
	return strings.Join(append(args, "-rounds 1 -seed", strconv.FormatUint(s.seed, 10)), " ")
}

// binaries are what the rounds run, built once from this checkout.
type binaries struct{ plain, armed, fake string }

// totals is the result. failed counts rounds in which anything was wrong.
type totals struct {
	rounds, kills, failed                int
	lost, duplicated, reordered, orphans int
	startedTwice                         int // steps of orchestrations
	points                               int // failpoints that were carried out
	began                                time.Time
}

// String is the last line.
func (t totals) String() string {
	return fmt.Sprintf("crash: rounds=%d kills=%d lost=%d duplicated=%d reordered=%d orphans=%d started_twice=%d",
		t.rounds, t.kills, t.lost, t.duplicated, t.reordered, t.orphans, t.startedTwice)
}

// run plays rounds, several at a time, and prints failures and totals.
func run(ctx context.Context, o options) (totals, error) {
	dir, err := os.MkdirTemp("", "bccrash")
	if err != nil {
		return totals{}, err
	}
	defer os.RemoveAll(dir)
	b, err := build(ctx, dir, o.race)
	if err != nil {
		return totals{}, err
	}
	t := &totals{began: time.Now()}
	if o.walk {
		err = walk(ctx, o, b, t)
	} else {
		fmt.Fprintf(o.out, "crash: seed %d\n", o.seed)
		err = random(ctx, o, b, t)
	}
	fmt.Fprintf(o.out, "crash: %d failpoints reached, %d rounds failed, %s\n", t.points, t.failed, time.Since(t.began).Round(time.Second))
	fmt.Fprintln(o.out, t)
	return *t, err
}

// build compiles the daemon, the daemon with failpoints, and the fake agent.
func build(ctx context.Context, dir string, race bool) (binaries, error) {
	b := binaries{filepath.Join(dir, "betcode"), filepath.Join(dir, "betcode-failpoint"), filepath.Join(dir, "fakeagent")}
	for _, args := range [][]string{
		{"-race=" + strconv.FormatBool(race), "-o", b.plain, "betcode/cmd/betcode"},
		{"-race=" + strconv.FormatBool(race), "-tags", "failpoint", "-o", b.armed, "betcode/cmd/betcode"},
		{"-o", b.fake, "betcode/tests/fakeagent"},
	} {
		command := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...)
		command.Dir, command.Stderr = kit.Repository(), os.Stderr
		if err := command.Run(); err != nil {
			return b, fmt.Errorf("build %v: %w", args, err)
		}
	}
	return b, nil
}

// random plays the rounds of consecutive seeds.
func random(ctx context.Context, o options, b binaries, t *totals) error {
	var mu sync.Mutex
	var errs []error
	agents, schedules := fakeCrew(b), newSchedule
	if o.real {
		var err error
		if agents, err = realCrew(ctx); err != nil {
			return err
		}
		schedules = realSchedule
	}
	if o.gateways {
		schedules = gatewaySchedule
	}
	slots := make(chan struct{}, o.parallel)
	var players sync.WaitGroup
	for i := range o.rounds {
		slots <- struct{}{}
		if ctx.Err() != nil || (o.within > 0 && time.Since(t.began) > o.within) {
			break
		}
		players.Go(func() {
			defer func() { <-slots }()
			r, err := newRound(b, agents, schedules(o.seed+uint64(i)))
			if err == nil {
				r.run(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
				return
			}
			t.add(r, o)
		})
	}
	players.Wait()
	return errors.Join(append(errs, agents.close(), ctx.Err())...)
}

// add counts a round, and keeps or removes its directory.
func (t *totals) add(r *round, o options) {
	t.rounds++
	t.kills += r.kills
	t.points += len(r.points)
	t.lost += r.count(lost)
	t.duplicated += r.count(duplicated)
	t.reordered += r.count(reordered)
	t.orphans += r.count(orphaned)
	t.startedTwice += r.count(startedTwice)
	if len(r.problems) > 0 || o.keep {
		r.save()
	}
	if len(r.problems) > 0 {
		t.failed++
		fmt.Fprintf(o.out, "crash: FAILED; everything about it is in %s; again: %s\n%s", r.world.Root, o.again(r.schedule), r.schedule)
		for _, p := range r.problems {
			fmt.Fprintf(o.out, "  %s: %.2000s\n", p.kind, p.text)
		}
		fmt.Fprintln(o.out, strings.Join(r.history[max(0, len(r.history)-historyLines):], "\n"))
		return
	}
	if !o.keep {
		if err := r.world.Remove(); err != nil {
			fmt.Fprintf(o.out, "crash: %v\n", err)
		}
	}
}
