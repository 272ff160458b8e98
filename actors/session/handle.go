package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/daybudget"
	"betcode/actors/disk"
	"betcode/actors/internal/act"
	"betcode/actors/permission"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/family"
	"betcode/actors/session/recall"
	"betcode/actors/session/requests"
	"betcode/actors/settings"
	"betcode/messages"
)

// handle is the table of everything a session reacts to.
func (t *transition) handle(from *actor.PID, m any) {
	t.extendPrompts(m)
	t.used = t.used || isUse(m)
	if t.refusedByProxy(from, m) {
		return
	}
	switch m := m.(type) {
	case messages.StartSession:
		t.startSession(from, m)
	case messages.SendInput:
		t.sendInput(from, m)
	case messages.AnswerPermission:
		t.answerPermission(from, m)
	case messages.BeginSubagent:
		t.beginSubagent(from, m)
	case messages.SendToSubagent:
		t.sendToSubagent(from, m)
	case messages.CancelSubagent:
		t.cancelSubagent(from, m)
	case messages.CancelTurn:
		t.cancelTurn(from, m)
	case messages.StopRepeat:
		t.stopRepeat(from, m)
	case messages.Idempotent:
		t.idempotent(from, m)
	case messages.TakeLock:
		t.takeLock(from, m)
	case messages.ReleaseLock:
		t.releaseLock(from, m)
	case messages.RefuseLock:
		t.refuseLock(from, m)
	case messages.ChangeSettings:
		t.changeSettings(from, m)
	case messages.RenameSession:
		t.renameSession(from, m)
	case messages.DeleteSession:
		t.deleteSession(from, m.Client)
	case messages.StopSession:
		t.stopSession(from, m.Client)
	case messages.ContinueSession:
		t.continueSession(from)
	case messages.RestartSession:
		t.restartSession(from)
	case messages.SetBudget:
		t.setBudget(from, m)
	case messages.AskPlanBudget:
		t.askPlanBudget(from, m)
	case messages.SetGrant:
		t.setGrant(from, m)
	case messages.ClearGrants:
		t.clearGrants(from, m)
	case messages.CompactSession:
		t.compactSession(from, m)
	case messages.TrimHistory:
		t.trimHistory(from, m)
	case messages.GetSession:
		t.getSession(from, m)
	case messages.GetPrompts:
		if t.known(from, "get prompts") {
			t.then(act.Reply{To: from, With: messages.Prompts{Events: t.s.replayPrompts(t.now)}})
		}
	case messages.GetAbilities:
		t.getAbilities(from)
	case messages.Attach:
		t.attach(from, m)
	case messages.Detach:
		t.detach(m)
	case messages.ClientGone:
		t.detach(messages.Detach{Session: t.s.id, Stream: m.Stream})
	case messages.ClientCaughtUp:
		t.caughtUp(m.Stream)

	case messages.ConnectProxy:
		t.connectProxy(from, m)
	case messages.DisconnectProxy:
		t.disconnectProxy(from, m)
	case messages.TakeProxyFrames:
		t.takeProxyFrames(from, m)
	case messages.ReplaceProxied:
		t.replaceProxied(from, m)
	case repeatDue:
		t.repeatLate(m)
	case echoDue:
		t.echoLate(m)

	case run.Output:
		t.output(m)
	case messages.ProcessStarted:
		t.processStarted(m)
	case messages.RunEnded:
		t.runEnded(m)
	case messages.InputWrittenTo:
		t.inputWritten(m)
	case run.InputTooLong:
		t.inputLong(m)
	case messages.AnswerWritten:
		t.answerWritten(m)
	case permission.Decided:
		t.permissionDecided(m)
	case permission.ReminderDue:
		t.remind(m)
	case permission.AnswerExpired:
		t.answerExpired(m)
	case stopSaved:
		t.stopSaved(m)
	case recall.Answer:
		t.transcriptRead(m)
	case trustLooked:
		t.trustLooked(m)
	case compactionSlow:
		t.compactionAnswered(m)
	case compactionLate:
		t.compactionTimedOut(m)
	case lookedAround:
		t.lookedAround(m)
	case inquirySlow:
		t.inquiryTimedOut(m)
	case lockDue:
		t.lockIsDue(m)
	case lockGraceOver:
		t.endReservation()
	case restartDue:
		t.retryDue(m)
	case FleetIntruder:
		t.fleetIntruder(m)
	case Forwarded:
		t.forwarded(m)
	case ForwardAgain:
		t.forwardAgain(m.To)
	case NothingAbove:
		t.s.forwarding.NothingAbove()
		t.s.family.Above(family.BudgetAbove{})
	case family.SpentBelow:
		t.spentBelow(m)
	case family.BudgetAbove:
		t.s.family.Above(m)
	case familyRead:
		t.familyRead(m)
	case familyDue:
		t.s.family.Late()
	case daybudget.Changed: // see updateBudget
	case daybudget.Near:
		t.dayNear(m)
	case daybudget.Again:
		t.s.day.Again()
	case ClientActive: // see extendPrompts
	case pool.Answer:
		t.slotAnswered(m)
	case pool.Waits:
		t.slotWaits(m)
	case pool.Granted:
		t.s.slot.Hold()
	case pool.Park:
		t.park()
	case pool.Stopped:
		t.fleetStopped()
	case Rebuilt:
		t.rebuilt()
	case disk.Changed:
		t.diskChanged(m)
	case run.Frozen:
		t.agentFrozen(m)
	case run.StdinClosed:
		t.stdinClosed(m)
	case run.OutputUnreadable:
		t.outputUnreadable(m)
	case run.Outruns:
		t.agentOutruns(m)
	case silenceDue:
		t.silenceLate(m)
	case parkDue:
		t.parkLate(m)
	case yieldDue:
		t.yieldLate(m)
	case messages.RevokeAutoApprove:
		t.revokeAutoApprove(from, m)
	case rateDue:
		t.rateOver()
	case subagentDue:
		t.subagentLate()
	case unwatchedDue:
		t.unwatchedLate()
	case pool.Restarted:
		t.poolRestarted()
	case settings.Changed:
		t.settingsChanged(m)
	case continuationDue:
		t.continuationLate(m)
	case EndAgent:
		t.shutdown(from)
	}
}

// idempotent carries out a request under a key, unless that was done before.
func (t *transition) idempotent(from *actor.PID, m messages.Idempotent) {
	key := requests.Key{Name: m.Key, Digest: m.Digest}
	if answer, used := t.s.ledger.Find("repeat request", key); used {
		t.then(act.Reply{To: from, With: answer})
		return
	}
	if from != nil {
		t.s.ledger.Begin(from.Id, key)
	}
	t.handle(from, m.Request)
}

// rebuilt announces that volatile events are replayed as durable ones.
func (t *transition) rebuilt() {
	if t.s.exists {
		t.notice("JOURNAL_BACK", "Journal is writable again: discard volatile events, they are replayed now", nil)
	}
}

// Sessions are listed by their last use, and clients continue the one used last. Actions
// of a person and output of the agent in a turn are use. The end of a run, parking,
// eviction, adoption, locks and answers to requests of the daemon itself are not.

// isUse reports whether a message is a person's action on the session. A request that
// changes nothing writes nothing, so it is no use in either case.
func isUse(m any) bool {
	switch m := m.(type) {
	case messages.StartSession, messages.SendInput, messages.CancelTurn, messages.StopRepeat, messages.ChangeSettings, messages.RenameSession,
		messages.StopSession, messages.ContinueSession, messages.RestartSession, messages.SetBudget, messages.SetGrant, messages.ClearGrants,
		messages.CompactSession, messages.AnswerPermission, messages.BeginSubagent, messages.SendToSubagent, messages.CancelSubagent:
		return true
	case permission.Decided:
		return m.Answer.Decision != messages.DecisionExpired
	}
	return false
}
