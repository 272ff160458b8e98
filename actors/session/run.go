package session

import (
	"cmp"
	"path/filepath"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/budget"
	"betcode/actors/session/ending"
	"betcode/actors/session/events"
	"betcode/actors/session/evidence"
	"betcode/actors/session/prompts"
	"betcode/actors/settings"
	"betcode/messages"
)

// recover continues from the journal: it looks for the agent that was running, shows undecided requests again, and delivers inputs.
func (t *transition) recover() {
	t.s.subagent.restored = t.s.busy()
	t.recoverPermissions()
	if t.s.proxied() && t.s.active() {
		t.announceRestored()
		t.recoverProxied()
		return
	}
	if t.s.active() {
		t.s.agent.working = inTurn(t.s.cursor.Translator)
		t.s.agent.adoptedTurn = !t.s.record.Budget.WorkingSince.IsZero()
		t.s.slot.Hold()
		t.then(sendToPool{pool.Taken{Session: t.s.id, Account: t.s.account()}}, spawnRun{record: *t.s.run, cursor: t.s.cursor})
		return
	}
	if t.s.record.StopWanted {
		t.stopped()
		return
	}
	if t.s.busy() && !t.s.blocked() || t.s.record.Restored {
		t.consultTranscript(nil)
		return
	}
	t.announceRestored() // a person starts it again
}

// inTurn reports whether a turn of the run had begun and not ended, as far as its output was read.
func inTurn(translator []byte) bool {
	state, err := claude.ParseState(translator)
	return err == nil && state.InTurn() // the run's actor is the one to complain
}

// startRun journals the intent of a new run; the spawn follows when it is on
// disk. A conversation that the agent may remember is resumed.
func (t *transition) startRun() {
	r := t.change()
	t.s.retries.waiting = false
	r.Waiting, r.Condition, r.Stopped = "", "", messages.Stopped{}
	t.s.agent = agentView{}
	t.resetMode()
	resumed := r.AgentSession != ""
	start := t.s.rulesAtStart()
	options := t.s.agentOptions()
	options.MaxBudgetUSD = budget.CostLeft(options.MaxBudgetUSD, r.Usage.CostUSD)
	argv, err := claude.Argv(claude.Spec{
		Program: t.s.options.Program, SessionID: cmp.Or(r.AgentSession, t.s.announced.nextID, string(t.s.id)), Resume: resumed, Model: r.Model, PermissionMode: r.PermissionMode,
		AllowedTools: r.AllowedTools, DeniedTools: start.Deny, AskRules: start.Ask, Options: options, Fork: r.Fork,
	})
	if err != nil {
		t.argumentRefused(err)
		return
	}
	r.Run++
	r.AgentSession = cmp.Or(r.AgentSession, t.s.announced.nextID, string(t.s.id))
	t.s.announced.nextID = ""
	run := messages.RunRecord{
		Format: process.Format, Session: t.s.id, Run: r.Run, State: messages.RunIntended, Token: t.now.id(),
		Directory: filepath.Join(t.s.runsDirectory(), strconv.FormatUint(uint64(r.Run), 10)),
		Argv:      argv, AgentSession: r.AgentSession, Resumed: resumed, StartedAt: t.now.at,
	}
	run.ControlKey = t.now.id()
	if child := r.Subagent; t.s.options.Fence == settings.FenceProject || child != nil && child.Auto.Fence {
		run.Fence = string(settings.FenceProject)
	}
	run.Environment = t.s.environment()
	run.Options = t.s.agentOptions()
	r.Environment, r.Options = nil, messages.AgentOptions{} // the session's record is written with each commit, a run's is not
	t.putRun(run)
	t.s.ending.Restart = false
	if resumed {
		t.audit(audit.Resumed(t.s.record.Run, t.s.attended, t.s.lock.Holder()))
	}
	if r.Fork.Session != "" && len(t.s.cursor.Translator) == 0 {
		t.s.cursor.Translator = claude.Forked(r.Fork.CostUSD).Marshal()
	}
	cursor := messages.Cursor{Run: run.Run, Translator: t.s.cursor.Translator}
	t.s.cursor, t.append.Cursor = cursor, &cursor
	t.then(spawnRun{record: run, cursor: cursor, fresh: true, resume: r.Turn && t.now.versions.continues(r.AgentVersion)})
}

// processStarted records that the agent runs, and sends it what is due.
func (t *transition) processStarted(m messages.ProcessStarted) {
	if m.Record.Run != t.s.record.Run {
		return
	}
	t.putRun(evidence.Kept(*t.s.run, m.Record))
	if t.s.run.Frozen {
		t.at = append(t.at, sendToRun{m.Record.Run, run.Freeze{Why: run.Alarm, On: true}}) // an incarnation of the run's actor may not know
	}
	t.startedAs(m)
	t.s.agent.up, t.s.agent.lastActivity, t.s.attended = true, t.now.at, false
	state := pb.RunState_RUN_STATE_STARTED
	if m.Adopted {
		state = pb.RunState_RUN_STATE_ADOPTED
	}
	t.emit(events.Run(m.Record, state))
	t.guarded(m)
	if !t.s.ending.Restart {
		t.answerRestarters(false, nil)
	}
	switch {
	case t.s.ending.Shutdown:
		t.sendToAgent(run.Stop{How: run.StopResumable})
		return
	case t.s.endsForGood():
		t.sendToAgent(run.Stop{How: run.StopOrderly})
		return
	case t.s.ending.Restart:
		t.sendToAgent(run.Stop{How: run.StopResumable})
		return
	case t.s.agent.ending == ending.Fleet: // while it was starting
		t.sendToAgent(run.Stop{How: run.StopResumable})
		return
	case m.Adopted && t.s.inputs.Torn():
		t.notice("INPUT_TORN", "A long message was being written when the daemon ended; the agent is restarted and gets it again", nil)
		t.replaceAgent(ending.Replace, run.StopResumable)
		return
	}
	for _, p := range t.s.prompts.List(prompts.Every) {
		switch {
		case !prompts.Screened(p): // the result of an earlier check was dropped: the agent did not run yet
			t.then(lookAround{p.Request, t.callOf(p), t.keptEdit(p), p.Why.Reason})
		case prompts.Decided(p) && !p.Orphaned():
			t.deliverAnswer(p)
		}
	}
	if m.Adopted {
		t.s.agent.barrier = t.control("barrier")
		t.sendToAgent(run.WriteControl{Line: claude.BarrierLine(t.s.agent.barrier, t.s.can())})
	}
	t.lookForRules()
	t.expectTurn(m)
	if t.s.record.TurnCanceled && m.Adopted { // in a new process no turn runs yet: its begin interrupts it
		t.interrupt()
	}
}

// runEnded journals the end of a run and decides what follows: nothing, a new run now, a new run after a backoff, or CRASHED.
func (t *transition) runEnded(m messages.RunEnded) {
	if m.Run != t.s.record.Run || !t.s.active() {
		return
	}
	run := *t.s.run
	run.State, run.Exit, run.Frozen = messages.RunFinished, m.Exit, false
	t.s.agent.stderr = m.Complaint
	t.putRun(run)
	final := t.s.endReason().Final()
	if t.s.interruptsTurn() && !final && !t.s.ending.Restart && !t.s.parkedForAnswer() && t.s.agent.ending != ending.Fleet {
		t.change().Interruptions++
	}
	if !t.s.ending.Restart && len(t.s.ending.Waiters[ending.Restart]) > 0 {
		t.notRestarted(m.Exit.Reason)
	}
	t.countCutOff(m.Exit)
	t.s.agent.agentLife = agentLife{}
	t.endInquiry(messages.Abilities{})
	state := pb.RunState_RUN_STATE_EXITED
	if !m.Exit.Known {
		state = pb.RunState_RUN_STATE_LOST
	}
	t.emit(events.Run(run, state))
	t.then(dropRun{m.Run}, archiveRuns{t.s.runsDirectory(), m.Run})
	t.orphan()
	t.change().Background = nil
	if final {
		t.follow(m.Exit)
		return
	}
	t.consultTranscript(&m.Exit)
}

// shutdown ends the agent because the daemon ends. Its turn stays resumable.
func (t *transition) shutdown(from *actor.PID) {
	t.s.ending.Shutdown = true
	if !t.s.active() || t.s.proxied() {
		t.then(act.Reply{To: from, With: AgentEnded{Session: t.s.id}})
		return
	}
	t.s.ending.Waiters.Add(ending.Shutdown, waiter{from: from})
	t.sendToAgent(run.Stop{How: run.StopResumable})
}
