// Package prompts is the ledger of a session's permission requests and questions.
//
//	            rule, grant                     first answer, deadline              the agent has read it
//	UNSCREENED ─────────────► DECIDED     UNDECIDED ────────────────► DECIDED ──────────────────────────► gone
//	     │ neither decides                    │ the process ends        │ the process ends
//	     └──────────────────► UNDECIDED       ▼                         ▼
//	                                       ORPHAN: kept until the resumed agent makes the same call, or the deadline
//
// A [Ledger] is a value without actors or I/O. It answers what waits for whom, what becomes of a request when its process
// ends, and which kept answer stands for a new request. The session journals each change, publishes it and tells the agent.
package prompts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"betcode/messages"
)

const (
	// MaxFormerly bounds the former ids of a request: an agent may end and ask again any number of times.
	MaxFormerly = 16
	// ExtendPause is the least time between two extensions of one request. Each is a write to disk, and a client that types
	// or whose connection flaps is active many times a minute; against a deadline of an hour or more, a minute is nothing.
	ExtendPause = time.Minute
)

// Ledger is the requests that have not ended. The zero value is empty. A copy is independent of the original.
type Ledger struct {
	records  map[messages.RequestID]messages.PermissionRecord
	doubtful map[messages.RequestID]bool // decided before a crash: their answers may have been given
}

// Loaded returns the ledger of a session that was loaded from the journal. The agent may have got the answers to decided
// requests before the crash.
func Loaded(records []messages.PermissionRecord) Ledger {
	l := Ledger{records: make(map[messages.RequestID]messages.PermissionRecord, len(records)), doubtful: map[messages.RequestID]bool{}}
	for _, p := range records {
		l.records[p.Request] = p
		if Decided(p) && !p.Orphaned() {
			l.doubtful[p.Request] = true
		}
	}
	return l
}

// Len returns how many requests there are.
func (l *Ledger) Len() int { return len(l.records) }

// Find returns a request, and whether there is one.
func (l *Ledger) Find(id messages.RequestID) (messages.PermissionRecord, bool) {
	p, ok := l.records[id]
	return p, ok
}

// Get returns a request, zero if there is none.
func (l *Ledger) Get(id messages.RequestID) messages.PermissionRecord { return l.records[id] }

// Put adds or replaces a request.
func (l *Ledger) Put(p messages.PermissionRecord) {
	if l.records = maps.Clone(l.records); l.records == nil {
		l.records = map[messages.RequestID]messages.PermissionRecord{}
	}
	l.records[p.Request] = p
}

// Remove forgets a request that has ended.
func (l *Ledger) Remove(id messages.RequestID) {
	l.records = maps.Clone(l.records)
	delete(l.records, id)
	if l.doubtful[id] {
		l.doubtful = maps.Clone(l.doubtful)
		delete(l.doubtful, id)
	}
}

// List returns the requests of a kind, oldest first.
func (l *Ledger) List(kind func(messages.PermissionRecord) bool) []messages.PermissionRecord {
	var found []messages.PermissionRecord
	for _, p := range l.records {
		if kind(p) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b messages.PermissionRecord) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(string(a.Request), string(b.Request)))
	})
	return found
}

// AgentWaits reports whether the agent's process waits for a person.
func (l *Ledger) AgentWaits() bool {
	return l.any(func(p messages.PermissionRecord) bool { return Undecided(p) && !p.Orphaned() })
}

// AgentAsks reports whether the agent's process waits for a decision, or for its delivery.
func (l *Ledger) AgentAsks() bool {
	return l.any(func(p messages.PermissionRecord) bool { return !p.Orphaned() })
}

func (l *Ledger) any(kind func(messages.PermissionRecord) bool) bool {
	for _, p := range l.records {
		if kind(p) {
			return true
		}
	}
	return false
}

// Current returns the id under which a request is known now.
func (l *Ledger) Current(id messages.RequestID) messages.RequestID {
	if _, known := l.records[id]; known {
		return id
	}
	for _, p := range l.records {
		if slices.Contains(p.Formerly, id) {
			return p.Request
		}
	}
	return id
}

// Extended returns the undecided requests whose deadline moves since a client is active: each gets its whole time again.
// The request that is being answered, and one that has expired, stay as they are.
func (l *Ledger) Extended(now time.Time, ttl time.Duration, but messages.RequestID) []messages.PermissionRecord {
	var extended []messages.PermissionRecord
	for _, p := range l.List(Undecided) {
		if p.Request == but || !now.Before(p.ExpiresAt) || now.Sub(LastSign(p)) < ExtendPause {
			continue
		}
		if until := now.Add(ttl); until.After(p.ExpiresAt) {
			p.ExpiresAt, p.LastExtendedAt = until, now
			p.ExtensionCount++
			extended = append(extended, p)
		}
	}
	return extended
}

// OfCall returns the request for a call of a run that waits, or was denied.
func (l *Ledger) OfCall(call string, run messages.RunNumber) (messages.RequestID, bool) {
	for _, p := range l.List(Every) {
		if p.ToolUse == call && call != "" && p.Run == run && !p.Orphaned() && !Permits(p.Decision) {
			return p.Request, true
		}
	}
	return "", false
}

// CallWaits reports whether the agent's process waits for a decision about a call.
func (l *Ledger) CallWaits(call string) bool {
	return l.any(func(p messages.PermissionRecord) bool {
		return call != "" && p.ToolUse == call && Undecided(p) && !p.Orphaned()
	})
}

// NoQuestionError refuses the answer to a question for a request that is none.
func NoQuestionError(op string, request messages.RequestID) *messages.Error {
	return messages.Errorf(op, messages.Invalid, "request %s is no question", request).
		With("request_id", string(request)).WithHint("allow or deny it")
}
