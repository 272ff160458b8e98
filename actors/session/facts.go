package session

import (
	"cmp"
	"path/filepath"

	"betcode/actors/session/budget"
	"betcode/actors/session/compaction"
	"betcode/actors/session/ending"
	"betcode/actors/session/prompts"
	"betcode/actors/session/slot"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// Queries of the state. They do not change it.

// active reports whether a run is under way: intended, running or ending.
func (s *state) active() bool { return s.run != nil && s.run.State != messages.RunFinished }

// proxied reports whether the session's agent runs elsewhere, under a proxy. Its run is under way from the first connection to the
// end of the session, and no process of it is ever up here.
func (s *state) proxied() bool { return s.record.Proxy != nil }

// unconnected reports whether the session is proxied and no proxy is connected.
func (s *state) unconnected() bool { return s.proxied() && s.proxy.connection == "" }

// busy reports whether a turn runs, or will as soon as the agent has read.
func (s *state) busy() bool { return s.record.Turn || len(s.inputs) > 0 }

// wanted reports whether an agent is wanted: there is work that may be done, or a person asked for a restart.
func (s *state) wanted() bool {
	return s.ending.Restart || s.busy() && !s.blocked() && !s.family.Unsure() && (!s.paused() || s.compacting())
}

// held returns why no turn may begin; empty if one may.
func (s *state) held() messages.Holding {
	b := s.record.Budget
	switch {
	case b.Limit.Level(budget.Worked(s.spent(), b.TurnWork)) == messages.BudgetReached:
		return messages.HeldByBudget
	case s.family.Used():
		return messages.HeldByFamily
	case s.day.Used(b):
		return messages.HeldByDay
	}
	return ""
}

// paused reports whether no turn may begin now: because of a budget, or until it is known whether the budget of the day is used.
func (s *state) paused() bool { return s.held() != "" || s.day.Unsure() }

// spent returns what counts against the session's budget: what it and all sessions below it have consumed.
func (s *state) spent() messages.Spent { return s.record.Budget.Spent.Plus(s.record.Budget.Below) }

// limited reports whether a budget of this session or of one above bounds what it consumes.
func (s *state) limited() bool { return !s.record.Budget.Limit.IsZero() || s.family.Limited() }

// awaitsBudget reports whether work waits that a budget could hold back: messages that no agent has got, or a turn that was cut off.
func (s *state) awaitsBudget() bool {
	switch {
	case s.blocked() || s.record.StopWanted || s.compacting():
		return false
	case !s.active():
		return s.busy()
	}
	return s.hasUndelivered()
}

// hasUndelivered reports whether a message has not been handed to the run.
func (s *state) hasUndelivered() bool { return len(s.inputs.Due(s.record.Run)) > 0 }

// restsAtBudget reports whether the running agent has only work that a budget holds back.
func (s *state) restsAtBudget() bool {
	return s.agent.up && !s.record.Turn && !s.agent.busy && !s.frozen() && !s.replacing() && len(s.record.Background) == 0 &&
		!s.prompts.AgentAsks() && !s.endsForGood() && !s.agentHasInput()
}

// agentHasInput reports whether the agent that runs has, or is given, a message that it is not done with.
func (s *state) agentHasInput() bool { return s.active() && s.inputs.Given(s.record.Run) }

// blocked reports whether the session starts no work, whatever it has, until a person acts.
func (s *state) blocked() bool {
	return s.record.Condition != "" || s.record.Waiting != "" || s.record.Phase == messages.PhaseCrashed
}

// compacting reports whether a compaction is under way.
func (s *state) compacting() bool { return compaction.UnderWay(&s.record.Past) }

// frozen reports whether an alarm holds the agent until a person decides.
func (s *state) frozen() bool { return s.active() && s.run.Frozen }

// forwards reports whether the sessions above show the requests of this one.
func (s *state) forwards() bool {
	return s.exists && s.record.Subagent != nil && s.record.Subagent.Forward && !s.forwarding.Alone()
}

// forwardable returns the requests that the session above is to show: those from below, and the session's own as long as it is at
// work as a subagent.
func (s *state) forwardable() []prompts.Forwarded {
	if s.record.Subagent.Status.Final() {
		return s.forwarding.Shown()
	}
	return s.forPeople()
}

// forPeople returns the requests that wait for a person on the streams of this session: its own, and those from below.
func (s *state) forPeople() []prompts.Forwarded {
	return append(s.ownForPeople(), s.forwarding.Shown()...)
}

// ownForPeople returns the session's own requests that wait for a person.
func (s *state) ownForPeople() []prompts.Forwarded {
	var waiting []prompts.Forwarded
	for _, p := range s.prompts.List(prompts.Undecided) {
		if prompts.Screened(p) {
			waiting = append(waiting, prompts.Forwarded{PermissionRecord: p, Name: s.record.Label()})
		}
	}
	return waiting
}

// replacing reports whether the agent process is being ended and another may follow: it is given
// nothing new.
func (s *state) replacing() bool { return s.agent.ending != ending.None }

// progress returns the session's progress for the attached streams.
func (s *state) progress() messages.Progress {
	switch {
	case !s.busy(), s.record.Phase == messages.PhaseCrashed:
		return messages.Quiescent
	case s.prompts.AgentWaits(), s.blocked(), s.record.Budget.Held != "" && (!s.record.Turn || !s.agent.working):
		return messages.Awaiting
	}
	return messages.Working
}

// endsForGood reports whether no agent follows, in this daemon or the next, without a request of a client.
func (s *state) endsForGood() bool { return s.record.StopWanted || s.deleting() }

// deleting reports whether the session is being removed.
func (s *state) deleting() bool { return s.ending.Deleting() }

// endReason returns why the agent is ended, or is to be.
func (s *state) endReason() ending.Reason {
	return s.ending.Reason(s.record.StopWanted, s.agent.ending)
}

// runsDirectory holds the directories of this session's runs.
func (s *state) runsDirectory() string { return filepath.Join(s.options.Runs, string(s.id)) }

// can returns what the session's agent can do.
//
// An agent under a proxy is treated as the oldest version: what it can do more does not get through the proxy.
func (s *state) can() claudecode.Capabilities {
	if s.proxied() {
		return claudecode.Capabilities{}
	}
	return claudecode.Of(s.record.AgentVersion)
}

// agentOptions returns the options of the session's agents.
func (s *state) agentOptions() messages.AgentOptions {
	if s.run == nil {
		return s.record.Options
	}
	return s.run.Options
}

// hasContinuation reports whether the agent has, or will be given, the daemon's message to continue its turn.
func (s *state) hasContinuation() bool { return s.inputs.From(ourselves) }

// stalled reports whether the agent has not continued the interrupted turn yet: it does when it has read the message that asks for
// it.
func (s *state) stalled() bool { return !s.agent.working && s.hasContinuation() }

// restored reports whether the session came from a backup with work, and no person has continued it since.
func (s *state) restored() bool { return s.record.Waiting == messages.WaitsRestored }

// parkedForAnswer reports whether the agent was parked until a person answers.
func (s *state) parkedForAnswer() bool { return s.record.Waiting == messages.WaitsForAnswer }

// occupied reports whether the session is active in the sense of the API: a turn or a task runs, or a
// request waits for a person.
func (s *state) occupied() bool {
	return s.busy() || len(s.slot.admissions) > 0 || s.agent.busy || len(s.record.Background) > 0 || len(s.prompts.List(prompts.UndecidedCall)) > 0
}

// canPark reports whether the agent has nothing to do: no turn, no task in the background, no request that waits.
func (s *state) canPark() bool {
	return s.agent.up && !s.frozen() && !s.busy() && !s.agent.busy && len(s.record.Background) == 0 && !s.prompts.AgentAsks() && !s.record.StopWanted
}

// idle reports whether the actor can end, because everything it knows is in the journal and nothing depends on it.
func (s *state) idle() bool {
	if s.durable.damage != nil {
		return !s.durable.damage.Busy()
	}
	return s.durable.loaded && s.unneeded() && s.durable.Quiescent() && s.slot.State() == slot.None
}

// comparing reports whether the session is from a backup and the transcript of its agent is being read.
func (s *state) comparing() bool { return s.record.Restored && s.agent.readingTranscript }

// unneeded reports whether no client, agent or request needs the actor.
func (s *state) unneeded() bool {
	return s.clients.Streams() == 0 && !s.comparing() && !s.lock.Reserved() && !s.lock.Contested() && (!s.active() || s.unconnected()) && !s.busy() && !s.ending.Restart &&
		s.prompts.Len() == 0 && !s.forwarding.Any() && !s.family.Busy()
}

// environment returns the variables that the session keeps for its agents.
func (s *state) environment() map[string]string {
	if s.run == nil {
		return s.record.Environment
	}
	return s.run.Environment
}

// account identifies the account whose rate limits the session's agent shares with other sessions: by the configuration directory
// that the client gave the session. Empty = that of the daemon's environment.
func (s *state) account() string {
	environment := s.environment()
	return cmp.Or(environment["CLAUDE_CONFIG_DIR"], environment["HOME"])
}
