package actors

import (
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// A limit of the account is shown until it ends or a turn succeeds. It changes nothing
// else: the agent itself waits as long as it thinks fit, and what it gives up is not
// tried again by the daemon. So many sessions that run into one limit do not come back
// all at once when it ends.

// rateLimited notes a limit that the agent has run into. One that the agent names the end
// of stays when the turn then fails without saying it again.
func (t *transition) rateLimited(m claude.RateLimited) {
	r := t.change()
	if m.Until.IsZero() && r.RateLimit.Holds(t.now.at) {
		return
	}
	r.RateLimit = messages.RateLimit{Since: t.now.at, Until: m.Until, Kind: m.Kind}
}

// rateLimitOver forgets the limit when a turn has succeeded. A command of the agent's own
// needs no request, so it says nothing about the limit.
func (t *transition) rateLimitOver(m claude.TurnEnded) {
	if !m.IsError && !m.LocalCommand && t.s.record.RateLimit != (messages.RateLimit{}) {
		t.change().RateLimit = messages.RateLimit{}
	}
}
