package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"betcode/tests/claudecli"
	"betcode/tests/kit"
)

// options select the exchanges.
type options struct {
	only     *regexp.Regexp // lane/directory/file; nil = all
	parallel int            // lanes at once
	out      io.Writer
}

// score is the result of the exchanges of a lane.
type score struct {
	lane         string
	held, played int
}

// run plays the exchanges of all lanes.
func run(ctx context.Context, o options) ([]score, error) {
	agent, err := claudecli.Ensure(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bcgateways")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the command: %w", err)
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "betcode")
	if err := kit.Build(ctx, binary, "betcode/cmd/betcode"); err != nil {
		return nil, err
	}
	all := lanes()
	scores, errs := make([]score, len(all)), make([]error, len(all))
	places := make(chan struct{}, max(o.parallel, 1))
	var playing sync.WaitGroup
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(o.out, format+"\n", args...)
	}
	for i, l := range all {
		playing.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			scores[i], errs[i] = l.run(ctx, binary, agent, o.only, say)
		})
	}
	playing.Wait()
	for i, err := range errs {
		if err != nil {
			return scores, fmt.Errorf("%s: %w", all[i].name, err)
		}
	}
	return scores, nil
}

// run plays the exchanges of a lane, one after the other.
func (l *lane) run(ctx context.Context, binary, agent string, only *regexp.Regexp, say func(string, ...any)) (s score, err error) {
	s.lane = l.name
	all, err := l.exchanges()
	if err != nil {
		return s, err
	}
	defer func() {
		if end := l.end(); err == nil {
			err = end
		}
	}()
	for _, x := range all {
		name := l.name + "/" + strings.TrimSuffix(x.name, ".txt")
		if only != nil && !only.MatchString(name) {
			continue
		}
		if l.world == nil {
			if err := l.raise(ctx, binary, agent); err != nil {
				return s, err
			}
		}
		began := time.Now()
		s.played++
		if err := l.play(x); err != nil {
			say("FAIL %s (%.1f s)\n%v", name, time.Since(began).Seconds(), err)
			continue
		}
		s.held++
		say("ok   %s (%.1f s)", name, time.Since(began).Seconds())
	}
	return s, nil
}

// summary is the last line.
func summary(all []score) string {
	line := "gateways:"
	for _, s := range all {
		line += fmt.Sprintf(" %s=%d/%d", s.lane, s.held, s.played)
	}
	return line
}

// differ reports whether an exchange differs, or none was played.
func differ(all []score) bool {
	played := 0
	for _, s := range all {
		if s.held != s.played {
			return true
		}
		played += s.played
	}
	return played == 0
}
