package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"betcode/tests/kit"
)

const (
	paintLimit = 150 * time.Millisecond
	keyLimit   = 16 * time.Millisecond
	looks      = 200 * time.Microsecond // polling interval of the screen
	mostTyped  = 60                     // keys on a row, before they are removed
)

// flooding is the prompt of a session whose agent writes two thousand pieces of 80 bytes a second for longer than any run.
const flooding = "stream:100000000:80:500us"

// screens are the figures of the screen: from the start of the program until the list of sessions is drawn, and from a key until
// it is drawn in a session whose agent floods it. Where there are no pseudo-terminals there are none.
func screens() []figure {
	probe, err := kit.OpenScreen(80, 24)
	if errors.Is(err, kit.ErrNoTerminal) || err != nil {
		return nil
	}
	_ = probe.Close()
	var typing typist
	return []figure{
		{"screen: first paint", paintLimit, firstPaint},
		{"screen: key during a flood", keyLimit, typing.key},
	}
}

// onScreen starts the screen of all sessions. end kills it, and returns the processor time that it took.
func (b *bench) onScreen(ctx context.Context) (s *kit.Screen, end func() time.Duration, err error) {
	if s, err = kit.OpenScreen(80, 24); err != nil {
		return nil, nil, err
	}
	c := exec.CommandContext(ctx, b.world.Binary, "ui")
	c.Env, c.Dir = append(b.world.Environ(), "TERM=xterm-256color"), b.world.Project
	if err := s.Start(c); err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s, func() time.Duration {
		_ = c.Process.Kill()
		_ = c.Wait()
		_ = s.Close()
		return processorTime(c.ProcessState)
	}, nil
}

// appears waits until the screen is as wanted, and returns how long that took.
func appears(ctx context.Context, s *kit.Screen, wanted func(shown string) bool) (time.Duration, error) {
	start := time.Now()
	for !wanted(s.Shown()) {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(looks):
		}
		if time.Since(start) > time.Minute {
			return 0, fmt.Errorf("the screen is\n%s", s.Shown())
		}
	}
	return time.Since(start), nil
}

// firstPaint starts the screen and waits for its list.
func firstPaint(ctx context.Context, b *bench, _ int) (sample, error) {
	start := time.Now()
	s, end, err := b.onScreen(ctx)
	if err != nil {
		return sample{}, err
	}
	_, err = appears(ctx, s, func(shown string) bool { return strings.Contains(shown, "need you") })
	took := time.Since(start)
	return sample{wall: took, command: end()}, err
}

// typist types into a session that is flooded. Its screen stays open from round to round.
type typist struct {
	screen *kit.Screen
	typed  int
}

// key types a key and waits until it is drawn.
func (t *typist) key(ctx context.Context, b *bench, _ int) (sample, error) {
	if t.screen == nil {
		if err := t.open(ctx, b); err != nil {
			return sample{}, err
		}
	}
	if t.typed == mostTyped {
		t.typed = 0
		if err := t.screen.Types("\x15"); err != nil {
			return sample{}, err
		}
	} else {
		t.typed++
		if err := t.screen.Types("x"); err != nil {
			return sample{}, err
		}
	}
	row := "\n> " + strings.Repeat("x", t.typed) + "\n"
	if t.typed == 0 {
		row = "\n>\n"
	}
	took, err := appears(ctx, t.screen, func(shown string) bool { return strings.Contains(shown, row) })
	time.Sleep(20 * time.Millisecond) // keys of a person do not come together
	return sample{wall: took}, err
}

// open begins the flood and opens its session.
func (t *typist) open(ctx context.Context, b *bench) error {
	if _, err := b.betcode(ctx, "run", "--detach", "--name", "flood", flooding); err != nil {
		return err
	}
	s, end, err := b.onScreen(ctx)
	if err != nil {
		return err
	}
	b.ends = append(b.ends, func() { end() })
	t.screen = s
	if _, err := appears(ctx, s, func(shown string) bool { return strings.Contains(shown, "need you") }); err != nil {
		return err
	}
	if err := s.Types(":open flood\r"); err != nil {
		return err
	}
	_, err = appears(ctx, s, func(shown string) bool { return strings.Contains(shown, "\n>\n") && strings.Contains(shown, "working") })
	return err
}
