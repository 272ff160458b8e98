package actors

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/session/prompts"
	"betcode/messages"
)

// permissionState is one request that waits: for a person, or, if its process is
// gone and it is decided already, for the agent to ask again. The first answer
// decides it.
type permissionState struct {
	record    messages.PermissionRecord
	reminders []time.Duration // after which it is spoken of again
	over      bool            // a kept decision has outlived its TTL, and the session knows
	decided   bool
	by        string
	questions int                  // how many the request has, 0 if it is no question
	answers   map[string]string    // collected so far: several questions are answered together
	given     []messages.RequestID // the questions they are for; two may have the same text
}

// deadlineReached is the permission's own word for a moment at which something
// may be due: a reminder, or the end of its patience. It says nothing about the
// time it is now.
type deadlineReached struct{}

// recordChanged tells a permission what is new about its request. Sent by the
// session.
type recordChanged struct{ record messages.PermissionRecord }

// tellSession hands a message to the session that owns the permission.
type tellSession struct{ message any }

func (tellSession) effect() {}

// byDeadline decides when nobody else has.
const byDeadline = "deadline"

// newPermissionState is a request as the journal knows it.
func newPermissionState(record messages.PermissionRecord, reminders []time.Duration) permissionState {
	s := permissionState{record: record, reminders: reminders}
	if record.Question {
		s.questions = len(promptEvents(record))
	}
	return s.changed(record)
}

func (s permissionState) changed(record messages.PermissionRecord) permissionState {
	s.record = record
	if record.Decision != messages.Undecided {
		s.decided, s.by = true, record.DecidedBy
	} else if s.by == byDeadline { // it was extended first
		s.decided, s.by = false, ""
	}
	return s
}

// kept reports whether the decision waits for the agent to ask again.
func (s permissionState) kept() bool {
	return s.record.Decision != messages.Undecided && s.record.Orphaned()
}

// next is when something will be due; the zero time means never.
func (s permissionState) next() time.Time {
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

// step takes one message at its time and returns the next state and what to do.
// Every answer goes on to the session, the winner's first, which replies when the
// decision is durable: nobody is told who was first before that cannot be undone.
func (s permissionState) step(at time.Time, from *actor.PID, m any) (permissionState, []effect) {
	switch m := m.(type) {
	case messages.AnswerPermission:
		return s.answer(at, from, m)
	case recordChanged:
		return s.changed(m.record), nil
	case deadlineReached:
		switch {
		case at.Before(s.record.ExpiresAt):
			return s.remind(at)
		case !s.decided:
			return s.expire(at, nil)
		case s.kept() && !s.over:
			s.over = true
			return s, []effect{tellSession{keptOver{s.record.Request}}}
		}
	}
	return s, nil
}

func (s permissionState) answer(at time.Time, from *actor.PID, m messages.AnswerPermission) (permissionState, []effect) {
	if s.decided { // the session says who was first when that is on disk
		return s, []effect{tellSession{decided{from: from, PermissionDecided: messages.PermissionDecided{Answer: m, By: string(m.Client), At: at}}}}
	}
	if !s.record.ExpiresAt.IsZero() && !at.Before(s.record.ExpiresAt) { // the timer is late: the machine slept
		return s.expire(at, from)
	}
	if m.Decision == messages.DecisionAnswered {
		s.answers = merged(s.answers, m.Answers)
		m.Answers = s.answers
		if !slices.Contains(s.given, m.Request) {
			s.given = append(slices.Clip(s.given), m.Request)
		}
		if strings.Contains(string(m.Request), "/") && max(len(s.answers), len(s.given)) < s.questions {
			return s, []effect{reply{from, messages.PermissionAnswered{Applied: true, By: string(m.Client), Decision: m.Decision, Request: m.Request}}}
		}
	}
	s.decided, s.by = true, string(m.Client)
	return s, []effect{tellSession{decided{from: from, PermissionDecided: messages.PermissionDecided{Answer: m, By: s.by, At: at}}}}
}

func (s permissionState) expire(at time.Time, from *actor.PID) (permissionState, []effect) {
	s.decided, s.by = true, byDeadline
	answer := messages.AnswerPermission{Session: s.record.Session, Request: s.record.Request, Decision: messages.DecisionExpired}
	return s, []effect{tellSession{decided{from: from, PermissionDecided: messages.PermissionDecided{Answer: answer, By: s.by, At: at}}}}
}

// remind sends the newest reminder that is due. Older ones that nobody was told
// of, because the daemon was not there, are left out: one word is enough.
func (s permissionState) remind(at time.Time) (permissionState, []effect) {
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
	return s, []effect{tellSession{reminderDue{s.record.Request, due}}}
}

func merged(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// decided is a [messages.PermissionDecided] with the address that waits for the
// outcome.
type decided struct {
	messages.PermissionDecided
	from *actor.PID
}
