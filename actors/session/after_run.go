package session

import (
	"cmp"
	"fmt"
	"strconv"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/process"
	"betcode/actors/session/audit"
	"betcode/actors/session/condition"
	"betcode/actors/session/ending"
	"betcode/actors/session/events"
	"betcode/messages"
	"betcode/supervision"
)

// follow carries out what comes after the end of a run (package ending).
func (t *transition) follow(exit messages.Exit) {
	r := t.change()
	t.readComplaint(exit)
	blocked := r.Condition != "" && !t.s.ending.Restart // found while the agent ran
	if blocked {
		r.Phase = messages.PhaseCrashed // an alarm leaves it as it is while the agent lives
	}
	shown, unable := condition.Find(condition.Evidence{
		Exit: exit, Stderr: t.s.agent.stderr, MemoryGone: t.s.agent.memoryGone, Forgotten: t.s.agent.transcriptMissing, Silent: t.s.cursor.Offset == 0,
	})
	switch ending.After(ending.Run{
		Reason: t.s.endReason(), Exit: exit, LastFailed: t.s.agent.lastFailed, Blocked: blocked, Unable: unable, FirstLost: t.firstTurnLost(), Busy: t.s.busy(),
	}) {
	case ending.Removal:
		t.remove()
	case ending.Rest:
		t.becomeIdle() // unless work is left
		for _, w := range t.s.ending.Waiters.Take(ending.Shutdown) {
			t.then(act.Reply{To: w.from, With: AgentEnded{Session: t.s.id}})
		}
	case ending.Stopped:
		t.stopped()
	case ending.Blocked:
		t.maybeRetire()
	case ending.Unable:
		t.block(shown)
		if t.s.agent.memoryGone {
			r.Turn = false // the agent has nothing of it
			t.withdrawOrphans("agent")
		}
		t.maybeRetire()
	case ending.Anew:
		t.beginAnew()
	case ending.Crash:
		t.crash(exit)
	case ending.Retry:
		t.retry(exit)
	case ending.Work:
		t.afterRun()
	}
}

// crash reports the crash, and has the agent restarted after a backoff if there is work.
func (t *transition) crash(exit messages.Exit) {
	details := map[string]string{"reason": exit.Reason, "exit_code": strconv.Itoa(process.Status(exit))}
	if t.s.agent.stderr != "" {
		details["stderr"] = t.s.agent.stderr
	}
	t.emit(events.Error(messages.SubprocessCrashed, "Claude process crashed: "+exit.Reason, details))
	t.audit(audit.Failed(messages.SubprocessCrashed, exit.Reason))
	if !t.s.busy() {
		t.becomeIdle()
		return
	}
	t.retry(exit)
}

// retry starts the agent again after a backoff. After too many failures the session becomes CRASHED and notifies people.
func (t *transition) retry(exit messages.Exit) {
	if t.halt() {
		return
	}
	history, decision := t.s.options.Restarts.Decide(t.s.retries.History, t.now.at, t.now.chance())
	t.s.retries.History = history
	if decision.Verdict == supervision.Restart {
		t.retryAfter(decision.After)
		return
	}
	t.s.retries.History = supervision.History{Total: history.Total} // a person's action resets the number of tries
	r := t.change()
	r.Phase = messages.PhaseCrashed
	if r.Turn {
		t.emit(events.TurnComplete("interrupted"))
		r.Turn = false
	}
	details := map[string]string{"reason": exit.Reason, "exit_code": strconv.Itoa(process.Status(exit))}
	if t.s.agent.stderr != "" {
		details["stderr"] = t.s.agent.stderr
	}
	message := fmt.Sprintf("The agent crashed too often (%s); it is started again by the next message", decision.Reason)
	t.notice("AGENT_GAVE_UP", message, details)
	t.call("AGENT_GAVE_UP", message, details)
	t.status(pb.AgentStatus_ERROR, "the agent keeps crashing")
}

// afterRun decides about a turn that was interrupted, and makes the session idle if it has no work. [transition.reconcile] does
// the work that is left.
func (t *transition) afterRun() {
	if !t.halt() && !t.s.wanted() {
		t.becomeIdle()
		t.maybeRetire()
	}
}

// halt decides about an interrupted turn before an agent is started. It reports
// whether no agent is to be started.
func (t *transition) halt() bool {
	r := t.s.record
	switch ending.OfTurn(ending.Turn{
		Interrupted: t.s.agent.interrupted, Waits: t.s.parkedForAnswer() || t.s.restored(), Restart: t.s.ending.Restart, Reason: t.s.agent.ending,
		Policy: cmp.Or(r.Resume, t.s.options.Resume), Count: r.Interruptions, Most: t.s.options.Continuations,
	}) {
	case ending.Continues:
		return false
	case ending.Waits:
		t.announceRestored()
	case ending.Over:
		t.abandon()
		return !t.s.busy()
	case ending.Asks:
		t.awaitResume(messages.WaitsByPolicy, "The turn was interrupted. Resume it with 'betcode session resume', send a message, or cancel it.")
	case ending.TooOften:
		t.awaitResume(messages.WaitsTooOften, fmt.Sprintf("A turn was interrupted %d times; it is not continued by itself any more", r.Interruptions))
	}
	return true
}

// abandon ends an interrupted turn together with its messages that are not in the agent's transcript.
func (t *transition) abandon() {
	for _, key := range t.s.agent.interruptedInputs {
		t.notice("INPUT_DROPPED", "A message was not given to the agent again: its turn was interrupted", map[string]string{"idempotency_key": key})
		t.inputDone(key)
	}
	t.notice("TURN_NOT_CONTINUED", "The turn was interrupted, and the session's policy is not to continue turns", map[string]string{"reason": messages.WaitsByPolicy})
	t.change().Turn = true
	t.endTurn("interrupted")
}

// beginAnew begins the conversation again: under its own id, or under a new one if a
// remainder of the lost conversation keeps its id in use.
func (t *transition) beginAnew() {
	r := t.change()
	r.AgentSession, r.Turn = "", false
	if t.s.agent.idTaken || !t.s.can().ReusableSessionID {
		t.s.announced.nextID = t.now.id()
	}
	t.notice("FIRST_ATTEMPT_LOST", "The agent had not saved the conversation yet; it is started again", nil)
	t.afterRun()
}

// firstTurnLost reports whether the agent has nothing of a conversation that never
// had a result.
func (t *transition) firstTurnLost() bool {
	return (t.s.agent.memoryGone && !t.s.forks() || t.s.agent.idTaken) && !t.s.record.InTranscript
}
