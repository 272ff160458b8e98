package supervision

import (
	"fmt"
	"math"
	"time"
)

// Policy is how a crashed actor is restarted. It is a pure value: clock and randomness are
// arguments of [Policy.Decide].
type Policy struct {
	Initial time.Duration // wait before the first restart
	Max     time.Duration // longest wait
	Jitter  float64       // random part of the wait, added or subtracted, 0 to 1; the wait never exceeds Max
	Limit   int           // this many failures …
	Window  time.Duration // … within this time: give up

	SlowLimit  int           // more failures than this …
	SlowWindow time.Duration // … within this time: give up; 0 = no slow limit
}

// Default is the policy of the daemon document: backoff from 500 ms, doubling to 30 s, and giving
// up after five failures in 60 s. It also gives up after more than eight failures in 10 minutes: an
// actor that crashes every 15 s would otherwise be restarted forever.
func Default() Policy {
	return Policy{
		Initial: 500 * time.Millisecond, Max: 30 * time.Second, Jitter: 0.2, Limit: 5, Window: time.Minute,
		SlowLimit: 8, SlowWindow: 10 * time.Minute,
	}
}

// History is the recent failures of one child. The zero value means no failures.
type History struct {
	Failures []time.Time // within the longer window, oldest first
	Total    int         // since the child was first started
}

// Verdict is what to do with a child that failed.
type Verdict uint8

// The verdicts.
const (
	Restart Verdict = iota // after Decision.After
	GiveUp                 // stop the child and report it
)

// Decision is the outcome of [Policy.Decide].
type Decision struct {
	Verdict Verdict
	After   time.Duration // wait before the restart
	Reason  string        // for people
}

// Decide adds a failure at now to the history and decides. chance is a random number in [0,1).
// Decide does not change h.
func (p Policy) Decide(h History, now time.Time, chance float64) (History, Decision) {
	next := History{Total: h.Total + 1}
	for _, t := range h.Failures {
		if now.Sub(t) < max(p.Window, p.SlowWindow) {
			next.Failures = append(next.Failures, t)
		}
	}
	next.Failures = append(next.Failures, now)
	n, slow := 0, 0
	for _, t := range next.Failures {
		if now.Sub(t) < p.Window {
			n++
		}
		if now.Sub(t) < p.SlowWindow {
			slow++
		}
	}
	switch {
	case n >= p.Limit:
		return next, Decision{Verdict: GiveUp, Reason: fmt.Sprintf("%d failures in %s", n, p.Window)}
	case p.SlowWindow > 0 && slow > p.SlowLimit:
		return next, Decision{Verdict: GiveUp, Reason: fmt.Sprintf("%d failures in %s", slow, p.SlowWindow)}
	}
	after := min(float64(p.Max), float64(p.Initial)*math.Pow(2, float64(n-1)))
	after *= 1 + p.Jitter*(2*chance-1)
	return next, Decision{Verdict: Restart, After: min(p.Max, time.Duration(after)), Reason: fmt.Sprintf("failure %d of %d in %s", n, p.Limit, p.Window)}
}
