package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// binaryLimit is the size that the program may have, in bytes.
const binaryLimit = 45_000_000

// uncounted is how many rounds of a figure are run first and not counted: files and caches become warm.
const uncounted = 3

// samples are the times of the rounds of a figure, in order of size.
type samples []time.Duration

// quantile returns the value that the part q of the samples does not exceed.
func (s samples) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

// take measures the rounds of a figure.
func take(ctx context.Context, b *bench, f figure, rounds int) (samples, error) {
	var taken samples
	for round := range uncounted + rounds {
		d, err := f.measure(ctx, b, round)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if round >= uncounted {
			taken = append(taken, d)
		}
	}
	slices.Sort(taken)
	return taken, nil
}

// report measures all figures that are wanted, prints them, and reports whether the medians are within the limits.
func report(ctx context.Context, w io.Writer, b *bench, o options, binary int64) (bool, error) {
	fmt.Fprintf(w, "%-46s %9s %9s %9s %9s\n", "", "p50 ms", "p99 ms", "worst ms", "limit ms")
	measured, over := 0, 0
	var worst figure
	var worstOf samples
	for _, f := range figures() {
		if !o.only.MatchString(f.name) {
			continue
		}
		s, err := take(ctx, b, f, o.rounds)
		if err != nil {
			return false, err
		}
		mark := ""
		if s.quantile(0.5) > f.limit {
			over, mark = over+1, "  over"
		}
		fmt.Fprintf(w, "%-46s %9.1f %9.1f %9.1f %9.1f%s\n", f.name, millis(s.quantile(0.5)), millis(s.quantile(0.99)), millis(s[len(s)-1]), millis(f.limit), mark)
		if measured++; measured == 1 || ratio(s.quantile(0.99), f.limit) > ratio(worstOf.quantile(0.99), worst.limit) {
			worst, worstOf = f, s
		}
	}
	fmt.Fprintf(w, "bench-cli: commands=%d worst=%q p50_ms=%.1f p99_ms=%.1f limit_ms=%.0f over=%d binary_mb=%.1f\n",
		measured, worst.name, millis(worstOf.quantile(0.5)), millis(worstOf.quantile(0.99)), millis(worst.limit), over, float64(binary)/1e6)
	return over == 0 && binary <= binaryLimit, nil
}

func ratio(d, limit time.Duration) float64 { return float64(d) / float64(limit) }

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
