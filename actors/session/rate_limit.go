package session

import (
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// A limit of the account is shown until it ends or a turn succeeds, and has no other effect.
// The agent decides how long it waits, and the daemon retries nothing, so sessions that hit
// one limit do not return as a herd when it ends.

// rateLimited records a limit that the agent has hit. A limit with a known end is kept when the turn then fails without naming it.
func (t *transition) rateLimited(m claude.RateLimited) {
	r := t.change()
	if m.Until.IsZero() && r.RateLimit.Holds(t.now.at) {
		return
	}
	r.RateLimit = messages.RateLimit{Since: t.now.at, Until: m.Until, Kind: m.Kind}
}

// rateLimitOver forgets the limit when a turn has succeeded. A command of the agent itself makes no request, so it proves nothing.
func (t *transition) rateLimitOver(m claude.TurnEnded) {
	if !m.IsError && !m.LocalCommand && t.s.record.RateLimit != (messages.RateLimit{}) {
		t.change().RateLimit = messages.RateLimit{}
	}
}
