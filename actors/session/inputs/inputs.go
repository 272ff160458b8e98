// Package inputs has the life of the messages that a session's agent is given.
//
//	          given to a run      in its pipe     the agent says so        a turn begins, or runs
//	ACCEPTED ────────────────► … ────────────► WRITTEN ─────────► QUEUED ─────────► STARTED, or FOLDED into the turn
//	    ▲                        │  ▲ a long line: WRITING           │                    │
//	    └── the run has ended ───┴──┴────────────────────────────────┘                    ▼
//	        and its agent does not know the message                  done: a result lists it, it is cancelled, or it was known
//
// A message is journaled when it is accepted and forgotten when it is done. [List] is a value: methods return the next list and change
// nothing. The session journals, writes to the run and tells people.
package inputs

import (
	"slices"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// List has the messages that are not done, in their order.
type List []messages.InputRecord

// Find returns the message with a key.
func (l List) Find(key string) (messages.InputRecord, bool) {
	if i := l.index(key); i >= 0 {
		return l[i], true
	}
	return messages.InputRecord{}, false
}

// Has reports whether there is a message with a key.
func (l List) Has(key string) bool { return l.index(key) >= 0 }

func (l List) index(key string) int {
	return slices.IndexFunc(l, func(in messages.InputRecord) bool { return in.Key == key })
}

// Put replaces a message that is known already, or adds a new one.
func (l List) Put(in messages.InputRecord) List {
	next := slices.Clone(l)
	if i := next.index(in.Key); i >= 0 {
		next[i] = in
		return next
	}
	return append(next, in)
}

// Remove forgets a message. It reports false if there is none with this key.
func (l List) Remove(key string) (List, bool) {
	i := l.index(key)
	if i < 0 {
		return l, false
	}
	return slices.Delete(slices.Clone(l), i, i+1), true
}

// Due lists the messages that a run was not given.
func (l List) Due(run messages.RunNumber) []messages.InputRecord {
	return l.those(func(in messages.InputRecord) bool { return in.State == messages.InputAccepted && in.Run != run })
}

// Unread lists the messages that an agent has not read although everything in its pipe was read, as they were before they were given.
func (l List) Unread() []messages.InputRecord {
	unread := l.those(func(in messages.InputRecord) bool { return in.State <= messages.InputWritten })
	for i := range unread {
		unread[i].State, unread[i].Run = messages.InputAccepted, 0
	}
	return unread
}

// Given reports whether a run has, or is given, a message that it is not done with.
func (l List) Given(run messages.RunNumber) bool {
	return slices.ContainsFunc(l, func(in messages.InputRecord) bool { return in.State > messages.InputAccepted || in.Run == run })
}

// Begun reports whether a turn of a run has begun with a message, or taken one up.
func (l List) Begun(run messages.RunNumber) bool {
	return slices.ContainsFunc(l, func(in messages.InputRecord) bool { return in.State >= messages.InputStarted && in.Run == run })
}

// Torn reports whether a long line may have been cut in the middle.
func (l List) Torn() bool {
	return slices.ContainsFunc(l, func(in messages.InputRecord) bool { return in.State == messages.InputWriting })
}

// From reports whether there is a message of a client.
func (l List) From(client messages.ClientID) bool {
	return slices.ContainsFunc(l, func(in messages.InputRecord) bool { return in.Client == client })
}

// Author returns the client whose message began the turn that runs, or is to; empty where none does, or the agent woke by itself.
func (l List) Author() messages.ClientID {
	for _, in := range l {
		if in.State == messages.InputStarted {
			return in.Client
		}
	}
	if len(l) > 0 {
		return l[0].Client
	}
	return ""
}

func (l List) those(are func(messages.InputRecord) bool) []messages.InputRecord {
	var found []messages.InputRecord
	for _, in := range l {
		if are(in) {
			found = append(found, in)
		}
	}
	return found
}

// Verdict is what follows the agent's report about a message.
type Verdict uint8

// The verdicts.
const (
	Stays Verdict = iota // the message stays as it is
	Moves                // it is stored in its new state
	Done                 // the agent is done with it
	Known                // the same, and no answer follows: it was in the agent's memory already
)

// Reported takes the agent's report about a message (wire notes, section 6). turn says whether a turn runs, and began whether the
// process that runs has begun it.
func Reported(in messages.InputRecord, state claude.Lifecycle, turn, began bool) (messages.InputRecord, Verdict) {
	switch state {
	case claude.Queued:
		in.State = max(in.State, messages.InputQueued)
		return in, Moves
	case claude.Started:
		in.State = messages.InputStarted
		if turn && began {
			in.State = messages.InputFolded
		}
		return in, Moves
	case claude.Canceled:
		return in, Done
	case claude.Completed:
		switch {
		case in.State < messages.InputStarted:
			return in, Known
		case !turn: // completed after the result of its turn: nothing more will come
			return in, Done
		}
	}
	return in, Stays
}
