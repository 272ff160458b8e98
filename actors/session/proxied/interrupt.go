package proxied

import (
	"time"

	"betcode/messages"
)

// The interrupt of a turn, in the record of the proxy:
//
//	      a person asks, no proxy is connected                  a proxy is connected
//	NONE ───────────────────────────────────────► WAITS ──────────────────────────────► SENT
//	 ▲ │   a person asks, a proxy is connected      │ InterruptPatience is over            │
//	 │ └────────────────────────────────────────────┼───────────────────────► SENT         │ a person asks again: NONE,
//	 └──────────────── the turn has ended ◄─────────┴──────────────────────────────────────┘ to be sent once more

// InterruptPatience is how long an interrupt waits for a proxy that is not connected.
const InterruptPatience = 5 * time.Minute

// NoteInterrupt keeps since when the interrupt of a cancelled turn waits for a connection, and forgets it with the turn. It reports
// whether the record has changed.
func NoteInterrupt(p messages.ProxyRecord, canceled, connected bool, at time.Time) (messages.ProxyRecord, bool) {
	switch {
	case !canceled && (p.Interrupted || !p.InterruptAt.IsZero()):
		p.Interrupted, p.InterruptAt = false, time.Time{}
	case canceled && !p.Interrupted && !connected && p.InterruptAt.IsZero():
		p.InterruptAt = at
	default:
		return p, false
	}
	return p, true
}

// SendInterrupt notes that the connected proxy is told to interrupt a cancelled turn. It reports whether it is to be told: once.
func SendInterrupt(p messages.ProxyRecord, canceled bool) (messages.ProxyRecord, bool) {
	if !canceled || !p.Abilities.Interrupts || p.Interrupted {
		return p, false
	}
	p.Interrupted, p.InterruptAt = true, time.Time{}
	return p, true
}

// RepeatInterrupt has the interrupt sent again that a person repeats: the first may have been lost with a connection. It reports
// whether the record has changed.
func RepeatInterrupt(p messages.ProxyRecord, canceled bool) (messages.ProxyRecord, bool) {
	if !canceled || !p.Interrupted {
		return p, false
	}
	p.Interrupted = false
	return p, true
}

// InterruptExpired reports whether an interrupt has waited too long for a connection: the turn is another one by now, most likely.
func InterruptExpired(p messages.ProxyRecord, now time.Time) bool {
	return !p.InterruptAt.IsZero() && !p.Interrupted && now.Sub(p.InterruptAt) > InterruptPatience
}
