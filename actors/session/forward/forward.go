// Package forward is the machine of requests that the sessions above a subagent show on their streams.
//
//	             the whole list, and what was decided of it
//	subagent ────────────────────────────────────────────────► session above ───► further up, while sessions forward
//	         ◄────────────────────────────────────────────────
//	             nothing above: the session does not exist
//
// The subagent's session alone journals a request and its decision. The sessions above keep a copy in memory. The session below sends
// the whole list when it changes, when its own actor starts, and when the actor above was restarted.
//
// A [Forwarding] is a value: it does no I/O, reads no clock, and a copy is independent of the original. Nothing of it is durable. The
// session sends the messages and shows the facts.
package forward

import (
	"maps"
	"slices"

	"betcode/actors/session/prompts"
	"betcode/messages"
)

// Forwarding is what a session knows of forwarded requests until its actor ends. The zero value has none.
type Forwarding struct {
	shown map[messages.SessionID][]prompts.Forwarded // by the session directly below that sent them
	sent  []prompts.Forwarded                        // to the session above
	alone bool
}

// Fact is something that happened to the requests from below.
type Fact interface{ fact() }

type (
	// Came is a request that is shown from now on.
	Came struct{ prompts.Forwarded }
	// Extended is a request with a new deadline.
	Extended struct{ prompts.Forwarded }
	// Resolved is a request that waits no more, under the id that it was shown with.
	Resolved struct{ messages.PermissionRecord }
)

func (Came) fact()     {}
func (Extended) fact() {}
func (Resolved) fact() {}

// NothingAbove notes that the session above does not exist any more.
func (f *Forwarding) NothingAbove() { f.alone = true }

// Alone reports whether the session above is known not to exist.
func (f *Forwarding) Alone() bool { return f.alone }

// Any reports whether requests from below are shown.
func (f *Forwarding) Any() bool { return len(f.shown) > 0 }

// Below returns the sessions directly below with requests that are shown.
func (f *Forwarding) Below() []messages.SessionID { return slices.Sorted(maps.Keys(f.shown)) }

// Shown returns the requests from below, in a stable order.
func (f *Forwarding) Shown() []prompts.Forwarded {
	var all []prompts.Forwarded
	for _, below := range f.Below() {
		all = append(all, f.shown[below]...)
	}
	return all
}

// Take replaces the requests of a session directly below. decided are those among the former ones whose decision it knows.
func (f *Forwarding) Take(from messages.SessionID, waiting []prompts.Forwarded, decided []messages.PermissionRecord) []Fact {
	before := f.shown[from]
	next := maps.Clone(f.shown)
	if next == nil {
		next = map[messages.SessionID][]prompts.Forwarded{}
	}
	if next[from] = waiting; len(waiting) == 0 {
		delete(next, from)
	}
	f.shown = next
	var facts []Fact
	for _, r := range before {
		if _, waits := prompts.Waits(waiting, r.ID()); !waits {
			facts = append(facts, Resolved{decisionOf(r, decided)})
		}
	}
	for _, r := range waiting {
		switch old, known := prompts.Waits(before, r.ID()); {
		case !known:
			facts = append(facts, Came{r})
		case !old.ExpiresAt.Equal(r.ExpiresAt):
			facts = append(facts, Extended{r})
		}
	}
	return facts
}

// decisionOf returns a request as it was decided. One of which nothing is known was withdrawn.
func decisionOf(f prompts.Forwarded, decided []messages.PermissionRecord) messages.PermissionRecord {
	for _, p := range slices.Backward(decided) {
		if p.Session == f.Session && p.Request == f.Request {
			f.PermissionRecord = p
			return f.Shown()
		}
	}
	f.Decision, f.DecidedBy = messages.DecisionWithdrawn, "agent"
	return f.Shown()
}

// Changed reports whether the session above is to be sent a list: people would see another one than was sent.
func (f *Forwarding) Changed(waiting []prompts.Forwarded) bool {
	return !prompts.SameForwarded(waiting, f.sent)
}

// Sent reports whether the session above has requests of this one.
func (f *Forwarding) Sent() bool { return len(f.sent) > 0 }

// Send notes a list as sent to the session above, and returns which of the decided requests that session has shown.
func (f *Forwarding) Send(waiting []prompts.Forwarded, decided []messages.PermissionRecord) []messages.PermissionRecord {
	var shown []messages.PermissionRecord
	for _, p := range decided {
		if _, was := prompts.Waits(f.sent, messages.ForwardedID(p.Session, p.Request)); was {
			shown = append(shown, p)
		}
	}
	f.sent = waiting
	return shown
}
