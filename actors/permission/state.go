package permission

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// State is one request that waits for an answer. If its agent has ended and it is already decided, it waits for the agent to
// ask again.
type State struct {
	record    messages.PermissionRecord
	reminders []time.Duration // ages at which people are reminded
	over      bool            // a kept decision has outlived its TTL, and the session has AnswerExpired
	decided   bool
	by        string
	questions int                  // how many the request has, 0 if it is no question
	answers   map[string]string    // collected so far: several questions are answered together
	given     []messages.RequestID // the questions of the answers; two may have the same text
}

// deadlineReached is the timer's message: something may be due. The wall clock decides.
type deadlineReached struct{}

// ToSession is an effect: send a message to the session of the request.
type ToSession struct{ Message any }

// Effect implements [act.Effect].
func (ToSession) Effect() {}

// byDeadline is the author of a decision that no client made in time.
const byDeadline = "deadline"

// New returns the state of a journaled request. reminders are the ages at which people are reminded.
func New(record messages.PermissionRecord, questions int, reminders []time.Duration) State {
	return State{record: record, questions: questions, reminders: reminders}.changed(record)
}

func (s State) changed(record messages.PermissionRecord) State {
	s.record = record
	if record.Decision != messages.Undecided {
		s.decided, s.by = true, record.DecidedBy
	} else if s.by == byDeadline { // it was extended first
		s.decided, s.by = false, ""
	}
	return s
}

// kept reports whether the decision waits for the agent to ask again.
func (s State) kept() bool {
	return s.record.Decision != messages.Undecided && s.record.Orphaned()
}

// Next returns when something will be due; the zero time means never.
func (s State) Next() time.Time {
	if s.decided {
		if s.kept() && !s.over {
			return s.record.ExpiresAt
		}
		return time.Time{}
	}
	next := s.record.ExpiresAt
	if n := prompts.RemindersSent(s.record); n < len(s.reminders) {
		if at := s.record.ReceivedAt.Add(s.reminders[n]); at.Before(next) {
			next = at
		}
	}
	return next
}

// Step takes one message at a time of the wall clock and returns the next state and what to do. Every answer is passed on to
// the session, the first one first. The session replies when the decision is durable, so no caller learns of a decision that
// can still be lost.
func (s State) Step(at time.Time, from *actor.PID, m any) (State, []act.Effect) {
	switch m := m.(type) {
	case messages.AnswerPermission:
		return s.answer(at, from, m)
	case Changed:
		return s.changed(m.Record), nil
	case deadlineReached:
		return s.Due(at)
	}
	return s, nil
}

// Due handles everything that is due at a time: a reminder, the deadline, or the end of a kept answer.
func (s State) Due(at time.Time) (State, []act.Effect) {
	switch {
	case at.Before(s.record.ExpiresAt):
		return s.remind(at)
	case !s.decided:
		return s.expire(at, nil)
	case s.kept() && !s.over:
		s.over = true
		return s, []act.Effect{ToSession{AnswerExpired{s.record.Request}}}
	}
	return s, nil
}

func (s State) answer(at time.Time, from *actor.PID, m messages.AnswerPermission) (State, []act.Effect) {
	if s.decided { // the session replies with the first decision when that is durable
		return s, []act.Effect{ToSession{Decided{From: from, PermissionDecided: messages.PermissionDecided{Answer: m, By: string(m.Client), At: at}}}}
	}
	if !s.record.ExpiresAt.IsZero() && !at.Before(s.record.ExpiresAt) { // the timer is late: the machine was suspended
		return s.expire(at, from)
	}
	if m.Decision == messages.DecisionAnswered {
		s.answers = merged(s.answers, m.Answers)
		m.Answers = s.answers
		if !slices.Contains(s.given, m.Request) {
			s.given = append(slices.Clip(s.given), m.Request)
		}
		if strings.Contains(string(m.Request), "/") && max(len(s.answers), len(s.given)) < s.questions {
			return s, []act.Effect{act.Reply{To: from, With: messages.PermissionAnswered{Applied: true, By: string(m.Client), Decision: m.Decision, Request: m.Request}}}
		}
	}
	s.decided, s.by = true, string(m.Client)
	return s, []act.Effect{ToSession{Decided{From: from, PermissionDecided: messages.PermissionDecided{Answer: m, By: s.by, At: at}}}}
}

func (s State) expire(at time.Time, from *actor.PID) (State, []act.Effect) {
	s.decided, s.by = true, byDeadline
	answer := messages.AnswerPermission{Session: s.record.Session, Request: s.record.Request, Decision: messages.DecisionExpired}
	return s, []act.Effect{ToSession{Decided{From: from, PermissionDecided: messages.PermissionDecided{Answer: answer, By: s.by, At: at}}}}
}

// remind sends the newest reminder that is due. Older ones, which were due while no daemon ran, are left out.
func (s State) remind(at time.Time) (State, []act.Effect) {
	due := 0
	for n, after := range s.reminders {
		if !at.Before(s.record.ReceivedAt.Add(after)) {
			due = n + 1
		}
	}
	if s.decided || due <= prompts.RemindersSent(s.record) {
		return s, nil
	}
	s.record = prompts.Reminded(s.record, due)
	return s, []act.Effect{ToSession{ReminderDue{s.record.Request, due}}}
}

func merged(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
