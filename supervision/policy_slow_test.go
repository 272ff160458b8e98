package supervision

import (
	"strings"
	"testing"
	"time"
)

// With failures at a constant rate, want is the failure at which the default policy gives up; 0 =
// never within two hours.
func TestSlowLimit(t *testing.T) {
	for _, c := range []struct {
		every time.Duration
		want  int
	}{
		{time.Second, 5}, {14 * time.Second, 5}, {15 * time.Second, 9}, {16 * time.Second, 9}, {74 * time.Second, 9}, {75 * time.Second, 0}, {10 * time.Minute, 0},
	} {
		var h History
		var d Decision
		got := 0
		for i, now := 1, noon; now.Before(noon.Add(2 * time.Hour)); i, now = i+1, now.Add(c.every) {
			if h, d = Default().Decide(h, now, .5); d.Verdict == GiveUp {
				got = i
				break
			}
			if len(h.Failures) > 9 {
				t.Fatalf("every %s: %d failures are kept", c.every, len(h.Failures))
			}
		}
		if got != c.want {
			t.Errorf("every %s: gives up at failure %d, want %d", c.every, got, c.want)
		}
		if got == 9 && !strings.Contains(d.Reason, "9 failures in 10m") {
			t.Errorf("every %s: reason %q", c.every, d.Reason)
		}
	}
}

// The backoff grows only with the failures in the short window.
func TestBackoffIgnoresSlowWindow(t *testing.T) {
	var h History
	for i := range 8 {
		var d Decision
		h, d = Default().Decide(h, noon.Add(time.Duration(i)*70*time.Second), .5)
		if d.Verdict != Restart || d.After != 500*time.Millisecond {
			t.Errorf("failure %d: %v after %s", i+1, d.Verdict, d.After)
		}
	}
}
