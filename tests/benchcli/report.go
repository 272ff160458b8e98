package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// binaryLimit is the size that the program may have, in bytes.
const binaryLimit = 45_000_000

const (
	uncounted = 3 // rounds of a figure that are run first and not counted: files and caches become warm
	fewest    = 5 // counted rounds, however long they take
)

// result has the samples of a figure.
type result struct {
	figure
	wall, command []time.Duration // of the rounds, in order of size
	daemon        time.Duration   // processor time of the daemon in a round, on average
	err           error
}

// quantile returns the value that the part q of the sorted durations does not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// take measures the rounds of a figure, for as long as it may take.
func take(ctx context.Context, b *bench, f figure, o options) result {
	r := result{figure: f}
	var before time.Duration
	began := time.Now()
	for round := range uncounted + o.rounds {
		if round == uncounted {
			before = daemonTime(b.daemon.PID())
		}
		if len(r.wall) >= fewest && time.Since(began) > o.each {
			break
		}
		s, err := f.measure(ctx, b, round)
		if err != nil {
			r.err = fmt.Errorf("%s: %w", f.name, err)
			return r
		}
		if round >= uncounted {
			r.wall, r.command = append(r.wall, s.wall), append(r.command, s.command)
		}
	}
	r.daemon = (daemonTime(b.daemon.PID()) - before) / time.Duration(len(r.wall))
	slices.Sort(r.wall)
	slices.Sort(r.command)
	return r
}

// bound returns what bounds a figure: the start of a process, the command, the daemon, or waiting for a processor. start is the
// processor time of a command that calls no daemon.
func (r result) bound(start time.Duration) string {
	p50, command := quantile(r.wall, 0.5), quantile(r.command, 0.5)
	switch {
	case command == 0:
		return "daemon, agent and screen together"
	case p50 > 2*(command+r.daemon):
		return "waiting for a processor or the disk"
	case r.daemon > command:
		return "the daemon"
	case command < start+start/2:
		return "starting a process"
	}
	return "the command"
}

// report measures all figures that are wanted and prints them. It reports whether the medians and the binary are within the limits.
// Figures that cannot be measured are errors, and the others are measured all the same.
func report(ctx context.Context, w io.Writer, b *bench, o options, binary int64) (within bool, err error) {
	began := time.Now()
	least, most := load(), load()
	bare := take(ctx, b, commandFigure("help"), o)
	if bare.err != nil {
		return false, bare.err
	}
	start := quantile(bare.command, 0.5)
	fmt.Fprintf(w, "starting the program takes %.1f ms, %.1f ms of a processor\n\n", millis(quantile(bare.wall, 0.5)), millis(start))
	fmt.Fprintf(w, "%-48s %6s %8s %8s %8s %8s %8s %8s %6s  %s\n", "", "rounds", "p50 ms", "p99 ms", "worst", "limit", "command", "daemon", "load", "bound by")
	var measured []result
	var failed []error
	over := 0
	for _, f := range figures() {
		if !o.only.MatchString(f.name) || ctx.Err() != nil {
			continue
		}
		r := take(ctx, b, f, o)
		now := load()
		least, most = min(least, now), max(most, now)
		if r.err != nil {
			failed = append(failed, r.err)
			fmt.Fprintf(w, "%-48s error\n", f.name)
			continue
		}
		measured = append(measured, r)
		mark := ""
		if r.ratio(0.5) > 1 {
			over, mark = over+1, "; over its limit"
		}
		fmt.Fprintf(w, "%-48s %6d %8.1f %8.1f %8.1f %8.0f %8.1f %8.1f %6.1f  %s%s\n", f.name, len(r.wall), millis(quantile(r.wall, 0.5)), millis(quantile(r.wall, 0.99)),
			millis(quantile(r.wall, 1)), millis(f.limit), millis(quantile(r.command, 0.5)), millis(r.daemon), now, r.bound(start), mark)
	}
	if err := errors.Join(append(failed, ctx.Err())...); err != nil || len(measured) == 0 {
		return false, err
	}
	worst := slices.MaxFunc(measured, func(a, b result) int { return cmp.Compare(a.ratio(0.5), b.ratio(0.5)) })
	fmt.Fprintf(w, "bench-cli: figures=%d worst=%q p50_ms=%.1f p99_ms=%.1f limit_ms=%.0f over=%d binary_mb=%.1f load=%.1f-%.1f seconds=%.0f\n",
		len(measured), worst.name, millis(quantile(worst.wall, 0.5)), millis(quantile(worst.wall, 0.99)), millis(worst.limit), over, float64(binary)/1e6, least, most, time.Since(began).Seconds())
	return over == 0 && binary <= binaryLimit, nil
}

// ratio is a quantile of the rounds in units of the limit.
func (r result) ratio(q float64) float64 { return float64(quantile(r.wall, q)) / float64(r.limit) }

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
