package messages

import "time"

// RateLimit is a limit of the account that an agent has run into. The zero value is none.
type RateLimit struct {
	Since time.Time // when the agent reported it; zero: not limited
	Until time.Time // when it ends, as the agent says; zero: the agent does not say
	Kind  string    // the agent's name of it, for example "five_hour"; may be empty
}

// Holds reports whether requests are still expected to be refused: until the time that
// the agent named, or, without one, until a turn succeeds.
func (l RateLimit) Holds(now time.Time) bool {
	return !l.Since.IsZero() && (l.Until.IsZero() || now.Before(l.Until))
}
