package session

import (
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/condition"
	"betcode/actors/session/ending"
	"betcode/actors/session/events"
	"betcode/messages"
	"betcode/supervision"
)

// What keeps an agent from being started: a backoff after a failure, or a condition until a person acts. Callers that wait for a restart
// are told.

// answerRestarters answers the callers that wait for a restart; failed is nil for success.
func (t *transition) answerRestarters(queued bool, failed *messages.Error) {
	for _, w := range t.s.ending.Waiters.Take(ending.Restart) {
		if failed != nil {
			t.then(act.Reply{To: w.from, With: failed})
			continue
		}
		t.then(act.Reply{To: w.from, With: messages.SessionRestarted{WasRunning: w.wasRunning, Queued: queued}})
	}
}

// notRestarted refuses the callers that wait for a restart.
func (t *transition) notRestarted(why string) {
	t.s.ending.Restart = false
	t.answerRestarters(false, ending.NotRestartedError(t.s.id, why))
}

// retries is how often agents of the session have failed, and whether the next one waits.
type retries struct {
	supervision.History
	waiting bool // a timer ends it, see restartDue
}

// restartDue is the timer's message at the end of a backoff.
type restartDue struct{ run messages.RunNumber }

// retryAfter delays the start of the next agent.
func (t *transition) retryAfter(delay time.Duration) {
	t.s.retries.waiting = true
	t.then(act.After{Delay: delay, Message: restartDue{t.s.record.Run}})
}

// retryDue ends the wait for the next agent.
func (t *transition) retryDue(m restartDue) {
	if m.run == t.s.record.Run {
		t.s.retries.waiting = false
	}
}

// A terminal condition keeps the agent from running until a person acts. The session does not try again by itself: it is CRASHED,
// keeps its work, and tries once more with the next message, `session resume` or `session restart`.

// terminal looks for a condition in the evidence, and enters it.
func (t *transition) terminal(e condition.Evidence) bool {
	c, found := condition.Find(e)
	if found {
		t.block(c)
	}
	return found
}

// argumentRefused blocks a session whose agent cannot be given a command line: a model,
// tool or deny rule that the gateway did not check, from settings or from the journal of
// an older build.
func (t *transition) argumentRefused(err error) {
	t.block(condition.Condition{
		Name: messages.ArgumentRefused, Text: "The agent's command line cannot be made",
		Remedy: "change the model, or the rule or tool that is named, in the settings or in a new session", Why: err.Error(),
	})
}

// block enters a condition: the session runs no agent until a person acts.
func (t *transition) block(c condition.Condition) {
	r := t.change()
	r.Condition, r.Phase = c.Name, messages.PhaseCrashed
	t.notRestarted(c.Text)
	message := c.Text
	if c.Name == messages.AgentMissing && c.Why != "" {
		message += " (" + c.Why + ")" // where it was looked for
	}
	message += "; " + c.Remedy + ". Then send a message, or run: betcode session restart " + messages.ShortID(t.s.id)
	details := map[string]string{"condition": string(c.Name)}
	if c.Why != "" {
		details["reason"] = c.Why
	}
	code := messages.Code(strings.ToUpper(string(c.Name)))
	t.emit(events.Error(code, message, details))
	t.status(pb.AgentStatus_ERROR, c.Text)
	t.audit(audit.Failed(code, c.Text))
	t.call("AGENT_CANNOT_RUN", message, details)
}

// unblock continues a blocked session. The work it has is tried again.
func (t *transition) unblock() {
	r := t.change()
	stood := t.s.blocked()
	r.Waiting, r.Condition, r.Interruptions = "", "", 0
	t.s.retries.Failures, t.s.retries.waiting, t.s.agent.interrupted = nil, false, false
	t.s.attended = true
	if stood && t.s.busy() {
		r.Phase = messages.PhaseActive
	} else if stood {
		r.Phase = messages.PhaseIdle
		t.becomeIdle()
	}
}

// ability checks whether the agent can work at all. A turn that shows that it cannot is the last of its process; the next process
// checks again.
func (t *transition) ability(m claude.TurnEnded) {
	switch r := t.change(); {
	case r.Condition == messages.AgentAlarmed: // a person decides
	case r.Condition != "" && !m.IsError:
		r.Condition = ""
	case r.Condition == "" && m.IsError && t.terminal(condition.Evidence{Turn: &m}):
		t.replaceAgent(ending.Replace, run.StopOrderly)
	}
}

// awaitResume blocks an interrupted turn until a person acts.
func (t *transition) awaitResume(reason, message string) {
	r := t.change()
	r.Waiting, r.Phase = reason, messages.PhaseWaiting
	message += ": betcode session resume, a message or a cancellation decides"
	details := map[string]string{"reason": reason}
	t.notice("TURN_WAITS", message, details)
	t.status(pb.AgentStatus_WAITING_FOR_USER, message)
	t.call("TURN_WAITS", message, details)
}

// continueSession continues a session that waits for a person.
func (t *transition) continueSession(from *actor.PID) {
	if !t.known(from, "continue session") {
		return
	}
	waiting := t.s.blocked() && t.s.busy() || t.s.frozen() || t.s.record.Budget.Held != ""
	if t.s.record.Budget.Refused {
		t.change().Budget.Refused = false
	}
	t.thaw()
	if t.s.blocked() {
		t.unblock()
	}
	t.then(act.Reply{To: from, With: messages.SessionContinued{WasWaiting: waiting}})
}

// announceRestored announces, once, that the restored session waits for a person.
func (t *transition) announceRestored() {
	if !t.s.restored() || t.s.record.Phase == messages.PhaseWaiting {
		return
	}
	t.change().Phase = messages.PhaseWaiting
	const message = "This session was restored from a backup and does not go on by itself. " +
		"Send a message, or resume or cancel its work: betcode session resume"
	details := map[string]string{"reason": messages.WaitsRestored}
	t.notice("SESSION_RESTORED", message, details)
	t.status(pb.AgentStatus_WAITING_FOR_USER, message)
	t.call("SESSION_RESTORED", message, details)
}

// resumeAnswered resumes a parked agent, since one of its requests was answered.
func (t *transition) resumeAnswered() {
	if t.s.parkedForAnswer() {
		t.unblock()
	}
}
