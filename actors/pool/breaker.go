package pool

import (
	"maps"
	"slices"
	"time"

	"betcode/messages"
)

// How limits of an account park the turns of its sessions.
const (
	// maxPark bounds how long a limit parks turns, whatever end the agent reports. Then turns start again, and the first
	// that is refused parks the others.
	maxPark = 6 * time.Hour
	// refill is the rate at which a session regains the time for which it may park the others: maxPark in a day.
	refill = 0.25
	// leastBudget is the least rest of a budget to which a longer report is shortened; with less, such a report is ignored.
	leastBudget = time.Hour
	// easeGap is the mean time between two starts after a limit, easeAtMost bounds them together.
	easeGap    = 500 * time.Millisecond
	easeAtMost = 10 * time.Second
	// recheck bounds a timer, since timers stand still while the machine sleeps.
	recheck = time.Minute
	// maxDebts bounds the sessions whose debts are stored.
	maxDebts = 10_000
)

// breaker tracks which accounts have reached a limit. A limit that one session reports parks new turns of all sessions of its
// account.
//
// A report is only as reliable as the agent that makes it, so each session has a budget of time: it parks the others for maxPark
// at once, and for a quarter of the time in the long run. Reports of a session that has spent its budget are ignored.
type breaker struct {
	limits map[string]messages.FleetLimit // by account
	easing map[string]ease                // accounts whose limit has just ended
	debts  map[messages.SessionID]debt
}

// ease spreads the starts after a limit, so that they do not all reach the next limit at once.
type ease struct {
	left int       // starts that remain to be spread
	next time.Time // of the next one
	gap  time.Duration
}

// debt is how much of its budget a session has spent.
type debt struct {
	spent time.Duration
	at    time.Time
}

func newBreaker(limits []messages.FleetLimit) breaker {
	b := breaker{limits: map[string]messages.FleetLimit{}, easing: map[string]ease{}, debts: map[messages.SessionID]debt{}}
	for _, l := range limits {
		b.limits[l.Account] = l
	}
	return b
}

// limit handles a session's report of a limit. It reports whether the limits have changed.
func (b *breaker) limit(now Env, m Limited) bool {
	until := m.Until
	spent := b.debts[m.Session].present(now.At)
	if most := now.At.Add(maxPark - spent); until.After(most) {
		if maxPark-spent < leastBudget {
			return false
		}
		until = most
	}
	old, holds := b.limits[m.Account]
	if !until.After(now.At) || holds && !until.After(old.Until) {
		return false
	}
	from := now.At
	if holds && old.Until.After(from) {
		from = old.Until // the time until then is already charged
	}
	if len(b.debts) >= maxDebts {
		maps.DeleteFunc(b.debts, func(_ messages.SessionID, d debt) bool { return d.present(now.At) == 0 })
	}
	if len(b.debts) >= maxDebts {
		return false
	}
	b.debts[m.Session] = debt{spent + until.Sub(from), now.At}
	limit := messages.FleetLimit{Account: m.Account, Session: m.Session, Kind: m.Kind, Since: now.At, Until: until, Resets: m.Until}
	if holds {
		limit.Since = old.Since
	}
	b.limits[m.Account] = limit
	delete(b.easing, m.Account)
	return true
}

// present returns the rest of a debt.
func (d debt) present(at time.Time) time.Duration {
	paid := time.Duration(refill * float64(max(at.Sub(d.at), 0)))
	return max(d.spent-paid, 0)
}

// expire removes limits that have ended, and limits longer than maxPark, which a clock that was set back leaves. It reports whether
// it removed one.
func (b *breaker) expire(now Env, waiting func(account string) int) (ended bool) {
	for account, l := range b.limits {
		if !l.Until.After(now.At) || l.Until.Sub(now.At) > maxPark {
			b.end(now, account, waiting(account))
			ended = true
		}
	}
	return ended
}

// reset removes all limits, at the request of a person.
func (b *breaker) reset(now Env, waiting func(account string) int) bool {
	changed := len(b.limits) > 0
	for account := range b.limits {
		b.end(now, account, waiting(account))
	}
	return changed
}

// end removes the limit of an account and spreads the starts of the sessions that wait for it.
func (b *breaker) end(now Env, account string, waiting int) {
	delete(b.limits, account)
	if waiting > 1 {
		e := ease{left: waiting, gap: min(easeGap, easeAtMost/time.Duration(waiting))}
		e.next = now.At.Add(time.Duration(now.Chance * float64(e.gap)))
		b.easing[account] = e
	}
}

// holds reports whether an account has a limit.
func (b *breaker) holds(now Env, account string) bool {
	l, limited := b.limits[account]
	return limited && l.Until.After(now.At)
}

// blocks reports whether no agent of an account may start now.
func (b *breaker) blocks(now Env, account string) bool {
	e, eases := b.easing[account]
	return b.holds(now, account) || eases && e.next.After(now.At)
}

// until returns when the limit of an account ends.
func (b *breaker) until(account string) time.Time { return b.limits[account].Until }

// granted records that an agent of an account starts.
func (b *breaker) granted(now Env, account string) {
	e, eases := b.easing[account]
	if !eases {
		return
	}
	if e.left--; e.left <= 0 {
		delete(b.easing, account)
		return
	}
	e.next = now.At.Add(time.Duration((0.5 + now.Chance) * float64(e.gap)))
	b.easing[account] = e
}

// due returns when a limit ends or the next agent may start.
func (b *breaker) due(now Env) (next time.Time) {
	for _, l := range b.limits {
		next = earliest(next, earliest(l.Until, now.At.Add(recheck)))
	}
	for account, e := range b.easing {
		if e.next.After(now.At) {
			next = earliest(next, e.next)
		} else { // the next start is already allowed, and no session waits: nothing is left to spread
			delete(b.easing, account)
		}
	}
	return next
}

// list returns the limits, by account.
func (b *breaker) list() []messages.FleetLimit {
	var all []messages.FleetLimit
	for _, account := range slices.Sorted(maps.Keys(b.limits)) {
		all = append(all, b.limits[account])
	}
	return all
}

// last returns when the last limit ends; zero if there is none.
func (b *breaker) last() (until time.Time) {
	for _, l := range b.limits {
		if l.Until.After(until) {
			until = l.Until
		}
	}
	return until
}

// keepLimits is an effect: store the limits.
type keepLimits struct{ limits []messages.FleetLimit }

func (keepLimits) Effect() {}
