package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"time"

	"betcode/messages"
)

// Fate is what becomes of a request when its process ends.
type Fate int

// Fates.
const (
	Stays     Fate = iota // it is an orphan already
	Dropped               // it ends without an event: no client knew of it, or its decision is made again
	Withdrawn             // it ends, and people are told
	InDoubt               // the agent may have read and used the allow: the call is asked about again
	Kept                  // it becomes an orphan
)

// FateOf returns what becomes of a request when its process ends. With final no agent follows. A decision by a rule or a
// grant decides again; a request that expired is asked again.
func (l *Ledger) FateOf(p messages.PermissionRecord, final bool, byRule string) Fate {
	switch {
	case !Screened(p):
		return Dropped
	case final:
		return Withdrawn
	case p.Orphaned():
		return Stays
	case Decided(p) && (p.DecidedBy == "grant" || p.DecidedBy == byRule || p.Decision == messages.AllowSession || p.Decision == messages.DecisionExpired):
		return Dropped
	case Decided(p) && l.doubtful[p.Request] && !Denies(p.Decision):
		return InDoubt
	}
	return Kept
}

// KeptFor returns the orphan of the same call as a new request, a decided one first. reused lists orphans with
// the id of the new request that stand for another call.
func (l *Ledger) KeptFor(now time.Time, p messages.PermissionRecord) (found messages.PermissionRecord, ok bool, reused []messages.RequestID) {
	for _, old := range l.List(messages.PermissionRecord.Orphaned) {
		switch {
		case old.Own():
		case old.Tool != p.Tool || old.Question != p.Question || !now.Before(old.ExpiresAt) || !SameJSON(old.Input, p.Input):
			if old.Request == p.Request {
				reused = append(reused, old.Request)
			}
		case !ok || Undecided(found) && Decided(old):
			found, ok = old, true
		}
	}
	return found, ok, reused
}

// Inherit returns a new request in the place of the orphan of the same call: with its deadline, its reminders and, if
// there is one, its decision.
func Inherit(p, old messages.PermissionRecord) messages.PermissionRecord {
	p.Seq, p.ReceivedAt, p.ForwardedAt, p.ExpiresAt = old.Seq, old.ReceivedAt, old.ForwardedAt, old.ExpiresAt
	p.LastExtendedAt, p.ExtensionCount = old.LastExtendedAt, old.ExtensionCount
	p.Reminder1hSent, p.Reminder24hSent = old.Reminder1hSent, old.Reminder24hSent
	p.Formerly = old.Formerly
	if old.Request != p.Request {
		p.Formerly = append(slices.Clone(old.Formerly), old.Request)
		p.Formerly = p.Formerly[max(0, len(p.Formerly)-MaxFormerly):]
	}
	if Decided(old) {
		p.Decision, p.DecidedBy, p.DecidedAt = old.Decision, old.DecidedBy, old.DecidedAt
		p.Message, p.Updated, p.Answers = old.Message, old.Updated, old.Answers
		p.Suggestions, p.Applied = old.Suggestions, old.Applied
	}
	return p
}

// SameJSON compares two inputs by what they say, not by how they are written.
func SameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := wholeJSON(a)
	if err != nil {
		return false
	}
	y, err := wholeJSON(b)
	return err == nil && reflect.DeepEqual(x, y)
}

func wholeJSON(raw []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // 1e400 and 9007199254740993 are what they are
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return value, nil
}
