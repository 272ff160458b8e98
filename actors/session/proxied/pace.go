package proxied

import "time"

// How long an agent without a turn has to repeat a message that may have arrived on an earlier connection, before the message is sent
// again. The proxy sends the lines that were not acknowledged first, so the shortest time is long for an agent that has the message,
// and short for a person. An agent that starts connects its servers before it repeats its first message.
const (
	shortestWait = 5 * time.Second
	firstWait    = 30 * time.Second
	longestWait  = time.Minute
)

// Pace is how slowly an agent repeats messages that find it without a turn: a hook that runs for 8 seconds delays each of them so
// long. The zero value has seen none. It is not durable.
type Pace struct {
	number  uint64    // of the message that is measured; 0 = none
	at      time.Time // when it was sent
	slowest time.Duration
}

// Sent begins to measure a message, unless another one is measured.
func (p Pace) Sent(number uint64, now time.Time) Pace {
	if p.number == 0 {
		p.number, p.at = number, now
	}
	return p
}

// Repeated ends the measurement with a message that the agent has repeated.
func (p Pace) Repeated(number uint64, now time.Time) Pace {
	if p.number != 0 && number == p.number {
		p.slowest = max(p.slowest, now.Sub(p.at))
	}
	return p.Interrupted()
}

// Interrupted ends the measurement without a result: the connection has ended.
func (p Pace) Interrupted() Pace { return Pace{slowest: p.slowest} }

// Wait returns how long to wait for a message with that number to be repeated.
func (p Pace) Wait(number uint64) time.Duration {
	if number <= 1 {
		return firstWait
	}
	return min(max(2*p.slowest, shortestWait), longestWait)
}
