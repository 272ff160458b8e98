package main

import (
	"bytes"
	"context"
	"fmt"
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

	ends []func() // end what figures have started
}

// figure is one thing that is measured. measure runs one round and returns how long it took.
type figure struct {
	name    string
	limit   time.Duration
	measure func(ctx context.Context, b *bench, round int) (time.Duration, error)
}

// figures are all figures in the order of the table.
func figures() []figure { return slices.Concat(commands(), searches(), screens()) }

// waitingSessions is how many sessions wait for a person.
const waitingSessions = 5

// prepare makes the sessions that wait.
func (b *bench) prepare(ctx context.Context) error {
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
	out, err := b.betcode(ctx, "permission", "list", "-o", "name")
	b.requests = strings.Fields(out)
	if err != nil {
		return err
	}
	return b.awaitIndex(ctx)
}

// betcode runs the program in the world and returns what it prints.
func (b *bench) betcode(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, b.world.Binary, args...)
	c.Env, c.Dir = b.world.Environ(), b.world.Project
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("betcode %s: %w\n%s%s", strings.Join(args, " "), err, &out, &complaint)
	}
	return out.String(), nil
}
