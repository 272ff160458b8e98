package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"betcode/messages"
	"betcode/tests/kit"
)

// bench is what figures measure: a daemon with a past, and a few sessions that wait for a person.
type bench struct {
	world  *kit.World
	daemon *kit.Daemon
	past   []messages.SessionID // of the sessions that rest, the oldest first

	waiting  []string // names of the sessions that wait
	requests []string // ids of their permission requests

	out  bytes.Buffer // output of the last command; reused, because a new buffer of 7 MB costs as much time as the command
	ends []func()     // end what figures have started
}

// figure is one thing that is measured. measure runs one round.
type figure struct {
	name    string
	limit   time.Duration
	measure func(ctx context.Context, b *bench, round int) (sample, error)
}

// sample is what one round took.
type sample struct {
	wall    time.Duration
	command time.Duration // processor time of the command; 0 = it still runs
}

// figures are all figures in the order of the table.
func figures() []figure { return slices.Concat(commands(), searches(), screens()) }

// waitingSessions is how many sessions wait for a person.
const waitingSessions = 5

// prepare creates the waiting sessions, and a git repository.
func (b *bench) prepare(ctx context.Context) error {
	made := exec.CommandContext(ctx, "git", "init", "--quiet")
	made.Env, made.Dir = b.world.Environ(), b.world.Project
	if out, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w\n%s", err, out)
	}
	for n := range waitingSessions {
		name := fmt.Sprintf("asks-%d", n)
		if _, err := b.betcode(ctx, "run", "--detach", "--name", name, fmt.Sprintf("run:touch made-%d", n)); err != nil {
			return err
		}
		if _, err := b.betcode(ctx, "session", "wait", "--for", "waiting", name); err != nil {
			return err
		}
		b.waiting = append(b.waiting, name)
	}
	_, err := b.betcode(ctx, "permission", "list", "-o", "name")
	b.requests = strings.Fields(b.out.String())
	if err != nil {
		return err
	}
	if err := b.awaitIndex(ctx); err != nil {
		return err
	}
	return b.awaitRest(ctx)
}

// awaitRest waits until the daemon has finished its work after a start, at most half a minute,
// since a busy machine delays it.
func (b *bench) awaitRest(ctx context.Context) error {
	const look, quiet = 250 * time.Millisecond, 4 // looks without work
	before := daemonTime(b.daemon.PID())
	for rested, looks := 0, 0; rested < quiet && looks < 120; looks++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		now := daemonTime(b.daemon.PID())
		if rested++; now-before > look/50 {
			rested = 0
		}
		before = now
	}
	return nil
}

// patience is how long a command may take before the run gives it up.
const patience = time.Minute

// betcode runs the program in the world and returns its cost. The output of the program is in out until the next call.
func (b *bench) betcode(ctx context.Context, args ...string) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := exec.CommandContext(ctx, b.world.Binary, args...)
	c.Env, c.Dir = b.world.Environ(), b.world.Project
	b.out.Reset()
	var complaint bytes.Buffer
	c.Stdout, c.Stderr = &b.out, &complaint
	began := time.Now()
	err := c.Run()
	s := sample{wall: time.Since(began), command: processorTime(c.ProcessState)}
	if err != nil {
		return s, fmt.Errorf("betcode %s: %w\n%s%s", strings.Join(args, " "), err, &b.out, &complaint)
	}
	return s, nil
}

// processorTime returns the processor time of a process that has ended.
func processorTime(p *os.ProcessState) time.Duration {
	if p == nil {
		return 0
	}
	return p.UserTime() + p.SystemTime()
}
