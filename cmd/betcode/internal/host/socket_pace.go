package host

import "time"

const (
	// firstRest is the first pause between two checks. It doubles up to socketPoll.
	firstRest = 50 * time.Millisecond
	// calm is the time without an occurrence after which the pause is firstRest again.
	calm = time.Minute
)

// pace throttles the checks of a socket that a process deletes or replaces again and again: each check costs a listener and a
// line of the log. The first check of the zero value is due at once.
type pace struct {
	last time.Time // the last occurrence
	rest time.Duration
}

// occurred records that the socket was made again or that its state was reported. It doubles the pause.
func (p *pace) occurred(now time.Time) {
	if now.Sub(p.last) > calm {
		p.rest = 0
	}
	p.last, p.rest = now, min(max(2*p.rest, firstRest), socketPoll)
}

// wait is the time until the next check is due. It is due now if wait is not positive.
func (p *pace) wait(now time.Time) time.Duration { return p.last.Add(p.rest).Sub(now) }
