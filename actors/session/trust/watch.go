package trust

import (
	"betcode/actors/internal/rules"
	"betcode/messages"
)

// Watch is when the content of an agent's directory is compared with what the user trusts.
//
//	            Look                       Looked
//	OLD ─────────────────► COMPARING ────────────────► FRESH, if it was for a message ──a message is given──► OLD
//
// One comparison runs at a time. The zero value is old, and watches no directory below. A copy is independent of the original.
type Watch struct {
	fresh     bool // the content was compared, and no message was given since
	comparing bool
	search    bool // the next comparison looks below the directory, too
}

// Started returns the watch of an agent that has started. What an adopted one has loaded from below its directory is not known.
func Started(adopted bool) Watch { return Watch{fresh: !adopted, search: adopted} }

// Fresh reports whether a message may be given.
func (w *Watch) Fresh() bool { return w.fresh }

// Given notes that a message was given.
func (w *Watch) Given() { w.fresh = false }

// Look is a comparison to be made.
type Look struct {
	Fresh  bool // for a message that waits
	Search bool // also below the directory
}

// Look returns the comparison to make, and false while another one runs. A search is made up for when that has ended.
func (w *Watch) Look(fresh, search bool) (Look, bool) {
	if w.comparing {
		w.search = w.search || search
		return Look{}, false
	}
	l := Look{fresh, search || w.search}
	w.comparing, w.search = true, false
	return l, true
}

// Looked ends the comparison, and reports whether one was under way.
func (w *Watch) Looked() bool {
	was := w.comparing
	w.comparing = false
	return was
}

// Owes reports whether a search is to be made up for.
func (w *Watch) Owes() bool { return w.search }

// Compared notes that the agent may go on. What was compared after a tool call may be old when a message comes.
func (w *Watch) Compared(fresh bool) { w.fresh = fresh }

// Verdict is what a comparison means for the agent.
type Verdict uint8

// The verdicts.
const (
	Keeps    Verdict = iota
	Replaces         // by one that obeys what is trusted now, or that obeys less
	Renews           // the agent obeys none of the content, old or new: people are told of the new one
)

// Judge compares how an agent was started with how one would be started now. failed says that the content could not be read, resting
// that the agent has nothing to do.
func Judge(has, now messages.Guard, failed, resting bool) Verdict {
	lost := failed || has.Mode == messages.GuardOff && now.Mode == messages.GuardStrict ||
		len(rules.Lacking(now.Ask, has.Ask)) > 0 // the agent would run what it is to ask about
	gained := has.Mode != messages.GuardOff && now.Mode == messages.GuardOff
	switch {
	case lost || gained && resting:
		return Replaces
	case has.Mode != messages.GuardOff && now.Mode == messages.GuardStrict:
		return Renews
	}
	return Keeps
}
