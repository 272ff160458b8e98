package supervision

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// For failures at these seconds, want is the backoff after each; -1 means giving up.
func TestPolicyWaits(t *testing.T) {
	patient := Policy{Initial: 500 * time.Millisecond, Max: 30 * time.Second, Limit: 100, Window: time.Hour}
	for _, c := range []struct {
		name   string
		policy Policy
		at     []float64
		want   []float64
	}{
		{"doubling", patient, []float64{0, 1, 2, 3, 4}, []float64{.5, 1, 2, 4, 8}},
		{"capped", patient, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, []float64{.5, 1, 2, 4, 8, 16, 30, 30, 30}},
		{"giving up at the fifth", steady, []float64{0, 1, 2, 3, 4}, []float64{.5, 1, 2, 4, -1}},
		{"four are forgiven again and again", steady, []float64{0, 1, 2, 3, 63, 64, 65, 66}, []float64{.5, 1, 2, 4, .5, 1, 2, 4}},
		{"the window slides", steady, []float64{0, 20, 40, 60, 80}, []float64{.5, 1, 2, 2, 2}},
		{"a failure leaves the window at its very end", steady, []float64{0, 59.999, 60}, []float64{.5, 1, 1}},
		{"one failure is too many", Policy{Initial: time.Second, Max: time.Second, Limit: 1, Window: time.Minute}, []float64{0}, []float64{-1}},
		{"a clock set back forgives nothing", steady, []float64{100, 0, 0, 0, 0}, []float64{.5, 1, 2, 4, -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h History
			for i, at := range c.at {
				var d Decision
				h, d = c.policy.Decide(h, noon.Add(time.Duration(at*float64(time.Second))), .5)
				got := d.After.Seconds()
				if d.Verdict == GiveUp {
					got = -1
				}
				if got != c.want[i] {
					t.Errorf("failure %d at %gs: %v after %gs (%s), want %gs", i+1, at, d.Verdict, got, d.Reason, c.want[i])
				}
				if d.Reason == "" {
					t.Errorf("failure %d has no reason for people", i+1)
				}
				if h.Total != i+1 {
					t.Errorf("failure %d is counted as %d", i+1, h.Total)
				}
			}
		})
	}
}

func TestDefaultPolicy(t *testing.T) {
	var h History
	var d Decision
	for i, nominal := range []float64{.5, 1, 2, 4} {
		for _, chance := range []float64{0, .25, .5, .999} {
			_, d = Default().Decide(h, noon, chance)
			if low, high := nominal*.8, nominal*1.2; d.Verdict != Restart || d.After.Seconds() < low || d.After.Seconds() > high {
				t.Errorf("failure %d, chance %g: %v after %s", i+1, chance, d.Verdict, d.After)
			}
		}
		h, _ = Default().Decide(h, noon, .5)
	}
	if _, d = Default().Decide(h, noon.Add(59*time.Second), .5); d.Verdict != GiveUp {
		t.Errorf("the fifth failure in a minute: %v", d.Verdict)
	}
}

// For any history: waits stay in their bounds, more failures never shorten the nominal
// wait, old failures are dropped, and Decide does not change its argument.
func TestPolicyProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			Initial: time.Duration(rapid.Int64Range(1, int64(time.Second)).Draw(t, "initial")),
			Jitter:  rapid.Float64Range(0, 1).Draw(t, "jitter"),
			Limit:   rapid.IntRange(1, 80).Draw(t, "limit"),
			Window:  time.Duration(rapid.Int64Range(int64(time.Second), int64(time.Hour)).Draw(t, "window")),
		}
		p.Max = p.Initial * time.Duration(rapid.Int64Range(1, 1000).Draw(t, "max"))
		now, h := noon, History{}
		for range rapid.IntRange(1, 100).Draw(t, "failures") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(p.Window/4)).Draw(t, "pause")))
			before := slices.Clone(h.Failures)
			// Spare capacity, so that the test detects an append in place.
			h.Failures = slices.Grow(h.Failures, 4)
			spare := h.Failures[:cap(h.Failures)]
			spareBefore := slices.Clone(spare)

			next, d := p.Decide(h, now, rapid.Float64Range(0, .999999).Draw(t, "chance"))

			if !slices.Equal(h.Failures, before) || !slices.Equal(spare, spareBefore) {
				t.Fatal("the given history was changed")
			}
			for _, f := range next.Failures {
				if now.Sub(f) >= p.Window {
					t.Fatalf("a failure %s ago is kept, the window is %s", now.Sub(f), p.Window)
				}
			}
			n := len(next.Failures)
			switch {
			case n > p.Limit && len(before) < p.Limit:
				t.Fatalf("%d failures, limit %d", n, p.Limit)
			case (n >= p.Limit) != (d.Verdict == GiveUp):
				t.Fatalf("%d failures of %d: %v", n, p.Limit, d.Verdict)
			case d.Verdict == GiveUp && d.After != 0:
				t.Fatalf("giving up after %s", d.After)
			case d.After < 0 || d.After > p.Max:
				t.Fatalf("a wait of %s, the longest is %s", d.After, p.Max)
			case d.Verdict == Restart && float64(d.After) < float64(p.Initial)*(1-p.Jitter)-1:
				t.Fatalf("a wait of %s, the first is %s with jitter %g", d.After, p.Initial, p.Jitter)
			}
			h = next
			if d.Verdict == GiveUp {
				h = History{}
			}
		}
	})
}
