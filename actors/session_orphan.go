package actors

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"time"

	"betcode/messages"
)

// When the process that asked is gone, its request is an orphan. The prompt stays
// before people, or the decision is kept, until the resumed agent makes the same
// call again: same session, same tool, same input, within the TTL. It is used
// once (decision 18).

// maxFormerly bounds the former ids of a request: an agent may die and ask again
// as often as it likes.
const maxFormerly = 16

// maxShown bounds a name in a notice, in characters.
const maxShown = 120

// wall is a time without its monotonic reading. A deadline is compared by the
// wall clock alone: the monotonic one stands still while the machine is suspended.
func wall(at time.Time) time.Time { return at.Round(0) }

// recoverPermissions starts the actors of what waits, and marks the decisions that
// an earlier incarnation of ours may have handed to the agent.
func (t *transition) recoverPermissions() {
	t.s.prompts.doubtful = map[messages.RequestID]bool{}
	for _, p := range t.s.requests(everyRequest) {
		switch {
		case !screened(p):
			t.then(lookAround{p.Request, t.callOf(p), t.keptEdit(p)})
		case isUndecided(p) || p.Orphaned():
			t.then(spawnPermission{p})
		default:
			t.s.prompts.doubtful[p.Request] = true
		}
	}
}

// orphan keeps what the ended run has asked for, unless the session ends with it.
func (t *transition) orphan() {
	final := t.s.endsForGood()
	for _, p := range t.s.requests(everyRequest) {
		switch {
		case !screened(p):
			t.removePermission(p.Request)
		case final:
			t.withdraw(p.Request, "stop")
		case p.Orphaned():
		case isDecided(p) && (p.DecidedBy == "grant" || p.DecidedBy == byRule || p.Decision == messages.AllowSession || p.Decision == messages.DecisionExpired):
			t.removePermission(p.Request) // the grant or the rule decides again; who was late is asked again
		case isDecided(p) && t.s.prompts.doubtful[p.Request] && !denies(p.Decision):
			// The agent may have read it and used it: once is once.
			t.removePermission(p.Request)
			t.permissionNotice("PERMISSION_IN_DOUBT", "The agent may have got the answer before it ended; it is asked for again", p)
		default:
			p.OrphanedAt = wall(t.now.at)
			t.putPermission(p)
			if isDecided(p) {
				t.permissionNotice("PERMISSION_KEPT", "The agent that asked is gone; the answer is kept for when it asks again", p)
				t.then(spawnPermission{p})
			} else {
				t.permissionNotice("PERMISSION_KEPT", "The agent that asked is gone; the request stays, and an answer is kept for when it asks again", p)
				t.then(update{p})
			}
		}
	}
}

func denies(d messages.Decision) bool {
	return d == messages.Deny || d == messages.DenyNoInterrupt || d == messages.DenyWithInterrupt
}

func (t *transition) permissionNotice(code, message string, p messages.PermissionRecord) {
	t.notice(code, message, map[string]string{"request_id": string(p.Request), "tool": shorten(p.Tool, maxShown)})
}

// keptFor returns the orphan that stands for the same call as a new request, a
// decided one first.
func (t *transition) keptFor(p messages.PermissionRecord) (messages.PermissionRecord, bool) {
	var found *messages.PermissionRecord
	for _, old := range t.s.requests(messages.PermissionRecord.Orphaned) {
		if old.Mode != "" {
			continue
		}
		if old.Tool != p.Tool || old.Question != p.Question || !t.now.at.Before(old.ExpiresAt) || !sameJSON(old.Input, p.Input) {
			if old.Request == p.Request { // an id that was used for something else
				t.withdraw(old.Request, "agent")
			}
			continue
		}
		if found == nil || (isUndecided(*found) && isDecided(old)) {
			found = &old
		}
	}
	if found == nil {
		return messages.PermissionRecord{}, false
	}
	return *found, true
}

// askedAgain lets a new request take the place of an orphan: under the same
// record, with its deadline, its reminders and, if there is one, its decision.
func (t *transition) askedAgain(old, p messages.PermissionRecord) {
	p.Seq, p.ReceivedAt, p.ForwardedAt, p.ExpiresAt = old.Seq, old.ReceivedAt, old.ForwardedAt, old.ExpiresAt
	p.LastExtendedAt, p.ExtensionCount = old.LastExtendedAt, old.ExtensionCount
	p.Reminder1hSent, p.Reminder24hSent = old.Reminder1hSent, old.Reminder24hSent
	p.Formerly = old.Formerly
	renamed := old.Request != p.Request
	if other, taken := t.s.prompts.records[p.Request]; taken && renamed {
		t.withdraw(other.Request, "agent")
	}
	if renamed {
		p.Formerly = append(slices.Clone(old.Formerly), old.Request)
		p.Formerly = p.Formerly[max(0, len(p.Formerly)-maxFormerly):]
	}
	if isDecided(old) {
		p.Decision, p.DecidedBy, p.DecidedAt = old.Decision, old.DecidedBy, old.DecidedAt
		p.Message, p.Updated, p.Answers = old.Message, old.Updated, old.Answers
		p.Suggestions, p.Applied = old.Suggestions, old.Applied
		t.notice("PERMISSION_ANSWER_USED", "The agent has asked again and gets the answer that was kept for it", map[string]string{
			"request_id": string(p.Request), "kept_for": string(old.Request), "tool": shorten(p.Tool, maxShown), "answered_by": shorten(p.DecidedBy, maxShown),
		})
		t.then(dropPermission{old.Request})
		if renamed {
			t.removePermission(old.Request)
		}
		t.putPermission(p)
		t.rememberDecision(p) // the event that tells of the decision has its keys
		t.deliverAnswer(p)
		return
	}
	if !renamed {
		t.then(update{t.prompt(p)})
		return
	}
	t.emit(permissionSuperseded(old, p.Request))
	t.removePermission(old.Request)
	t.then(dropPermission{old.Request}, spawnPermission{t.prompt(p)})
}

// keepDecision keeps the decision about an orphan, unless nothing is to be kept: a
// grant decides by itself, and after the deadline the agent is told when it asks.
func (t *transition) keepDecision(p messages.PermissionRecord) {
	if p.Decision == messages.AllowSession || p.Decision == messages.DecisionExpired {
		t.then(dropPermission{p.Request})
		t.removePermission(p.Request)
		if p.Decision == messages.AllowSession {
			t.resumeAnswered()
		} else if t.s.parkedForAnswer() && len(t.s.requests(isUndecidedCall)) == 0 {
			t.awaitResume(messages.WaitsForAnswer, "The last request of the parked agent has expired; the turn waits")
		}
		t.maybeRetire()
		return
	}
	t.then(update{p})
	t.resumeAnswered()
}

// keptOver forgets a kept decision that nobody asked for.
func (t *transition) keptOver(m keptOver) {
	p, ok := t.s.prompts.records[m.request]
	if !ok || !p.Orphaned() || isUndecided(p) || t.now.at.Before(p.ExpiresAt) {
		return
	}
	t.permissionNotice("PERMISSION_ANSWER_EXPIRED", "The agent never asked again; the kept answer is dropped", p)
	t.withdraw(p.Request, "deadline")
	t.maybeRetire()
}

// withdrawOrphans ends what no process waits for, when nobody is to ask again.
func (t *transition) withdrawOrphans(by string) {
	for _, p := range t.s.requests(messages.PermissionRecord.Orphaned) {
		if p.Mode == "" {
			t.withdraw(p.Request, by)
		}
	}
}

// current is the id under which a request is known now.
func (s *sessionState) current(id messages.RequestID) messages.RequestID {
	if _, known := s.prompts.records[id]; known {
		return id
	}
	for _, p := range s.prompts.records {
		if slices.Contains(p.Formerly, id) {
			return p.Request
		}
	}
	return id
}

// asks reports whether the agent's process waits for a decision.
func (s *sessionState) asks() bool {
	for p := range maps.Values(s.prompts.records) {
		if !p.Orphaned() {
			return true
		}
	}
	return false
}

// sameJSON compares two inputs by what they say, not by how they are written.
func sameJSON(a, b []byte) bool {
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
