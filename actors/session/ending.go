package session

import (
	"maps"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/run"
	"betcode/messages"
	"betcode/supervision"
)

// endReason is why an agent is being ended, or a session is. A later one in this list wins over
// an earlier one that is under way.
type endReason uint8

const (
	endNone     endReason = iota
	endPark               // the agent rests, or waits for a person: its slot is free for others
	endFleet              // the fleet is stopped: the turn is continued when it is resumed
	endReplace            // the agent is to be started with other rules or trust, or does not react
	endRestart            // a person wants the agent started again, whether it has work or not
	endStop               // for good; durable as [messages.SessionRecord.StopWanted]
	endShutdown           // the daemon ends; the session goes on with the next one
	endDelete             // the session is removed
)

// endings is what is to end and the requests that wait for it. Why a live agent is ended to make
// place for another is in [agentEnd]: that is over with the next run.
type endings struct {
	shutdown   bool // the daemon ends
	restart    bool // an agent is to be started, whether there is work or not
	savingStop bool // the wish to stop is being saved beside the journal
	waiters    waiters
}

// waiter is a request that waits for the end of an agent or of a session.
type waiter struct {
	from       *actor.PID
	wasRunning bool              // when the request came
	client     messages.ClientID // empty where the sender is not known
}

// waiters are requests by what they wait for. A copy is independent of the original.
type waiters map[endReason][]waiter

func (w *waiters) add(reason endReason, one waiter) {
	next := maps.Clone(*w)
	if next == nil {
		next = waiters{}
	}
	next[reason] = append(slices.Clone(next[reason]), one)
	*w = next
}

// take removes the waiters for a reason and returns them.
func (w *waiters) take(reason endReason) []waiter {
	taken := (*w)[reason]
	if len(taken) > 0 {
		*w = maps.Clone(*w)
		delete(*w, reason)
	}
	return taken
}

// replaceAgent ends the agent process for a reason after which another may follow.
func (t *transition) replaceAgent(reason endReason, how run.StopKind) {
	t.s.agent.ending = reason
	t.sendToAgent(run.Stop{How: how})
}

// answerRestarters answers the callers that wait for a restart; failed is nil for success.
func (t *transition) answerRestarters(queued bool, failed *messages.Error) {
	for _, w := range t.s.ending.waiters.take(endRestart) {
		if failed != nil {
			t.then(act.Reply{To: w.from, With: failed})
			continue
		}
		t.then(act.Reply{To: w.from, With: messages.SessionRestarted{WasRunning: w.wasRunning, Queued: queued}})
	}
}

// notRestarted refuses the callers that wait for a restart.
func (t *transition) notRestarted(why string) {
	t.s.ending.restart = false
	t.answerRestarters(false, messages.Errorf("restart session", messages.Unavailable, "the agent was not started again: %s", why).
		With("session_id", string(t.s.id)))
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
