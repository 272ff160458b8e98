package session

import (
	"slices"
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/retention"
	"betcode/actors/run"
	"betcode/actors/session/budget"
	"betcode/actors/session/compaction"
	"betcode/actors/session/ending"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// A compaction shortens the agent's context and the session's history. The agent gets /compact as a message like any other, so it
// gets it once whatever is killed in between. In the history the boundary moves up to the last complete exchange, and events up to
// the boundary are not replayed any more. Both happen or neither (package compaction).
//
// Messages that arrive during a compaction are accepted, and given to the agent afterwards.

const (
	compactCommand = "/compact"
	// compactionAnswer is how long a caller waits for the outcome. Clients in the field cut unary calls after 30 s.
	compactionAnswer = 20 * time.Second
	// compactionPatience is how long the agent may take. It writes nothing while it summarises.
	compactionPatience = 15 * time.Minute
)

// Messages of timers: a caller has waited long enough for an answer; the agent has taken too long.
type (
	compactionSlow struct{ from *actor.PID }
	compactionLate struct{ key string }
)

// compactionView is the state of a compaction that is not in its record.
type compactionView struct {
	waiting []*actor.PID // requests that wait for its end
	due     bool         // a turn has ended, and the size of the context was not compared since
}

func (t *transition) compactSession(from *actor.PID, m messages.CompactSession) {
	const op = "compact session"
	if !t.known(from, op) || !t.thawed(from, op) {
		return
	}
	c := &t.s.record.Past.Compaction
	switch {
	case t.s.compacting():
		t.awaitCompaction(from)
	case m.Key == c.Key && c.Phase != messages.CompactionNone:
		t.then(act.Reply{To: from, With: compaction.Outcome(c)})
	case t.s.record.StopWanted || t.s.ending.Shutdown:
		t.then(act.Reply{To: from, With: ending.StoppingError(op, "try again")})
	case t.s.occupied():
		t.then(act.Reply{To: from, With: compaction.ActiveError(op, t.s.id, t.s.settling())})
	case m.Repeated || !compaction.Possible(&t.s.record.Past):
		t.then(act.Reply{To: from, With: compaction.Nothing(&t.s.record.Past, t.s.record.Messages)})
	case !t.roomFor(from, op):
	case t.s.held() != "":
		t.then(act.Reply{To: from, With: budget.HeldError(op, t.s.id, t.s.held())})
	case !t.s.hasConversation():
		t.beginCompaction(m.Key, messages.CompactionByRequest)
		t.endCompaction("")
		t.then(act.Reply{To: from, With: compaction.Outcome(&t.s.record.Past.Compaction)})
	case !t.s.active() && (!t.s.slot.Promised()):
		t.s.slot.admissions = append(slices.Clip(t.s.slot.admissions), admission{from, m})
		t.wantSlot()
	default:
		t.unblock() // a person acted: try again
		t.sendCompact(m.Key, messages.CompactionByRequest)
		t.awaitCompaction(from)
	}
}

func (t *transition) awaitCompaction(from *actor.PID) {
	if from != nil {
		t.s.compaction.waiting = append(slices.Clip(t.s.compaction.waiting), from)
		t.then(act.After{Delay: compactionAnswer, Message: compactionSlow{from}})
	}
}

// beginCompaction stores the beginning of the compaction.
func (t *transition) beginCompaction(key, trigger string) {
	r := t.change()
	compaction.Begin(&r.Past, key, trigger, r.Messages, act.Wall(t.now.at))
	t.append.Key = key
}

// sendCompact begins a compaction in which the agent has its part.
func (t *transition) sendCompact(key, trigger string) {
	t.beginCompaction(key, trigger)
	t.status(pb.AgentStatus_COMPACTING, "")
	in := messages.InputRecord{Key: key, Content: compactCommand, At: t.now.at, Seq: t.s.record.Head + 1}
	t.emit(events.UserInput(in, 0))
	t.putInput(in)
	t.s.ledger.Store(requests.Key{Name: key}, messages.InputAcknowledged{Key: key, Seq: in.Seq})
	t.change().Phase = messages.PhaseActive
	t.then(act.After{Delay: compactionPatience, Message: compactionLate{key}})
}

// compacted notes that the agent has summarised its context.
func (t *transition) compacted(m claude.Compacted) {
	compaction.Summarized(&t.change().Past, m.TokensBefore, m.TokensAfter)
}

func (t *transition) compactionFailed(m claude.CompactionFailed) {
	if t.s.compacting() {
		t.change().Past.Compaction.Failure = m.Error
	}
}

// undoCompaction ends a compaction without the agent.
func (t *transition) undoCompaction(failure string) {
	c := &t.change().Past.Compaction
	c.Failure = failure
	t.inputDone(c.Key)
}

// updateCompaction gives up a compaction that no agent will finish, and compacts a
// context that has grown too large. It ends every step.
func (t *transition) updateCompaction() {
	switch {
	case t.s.compacting() && t.s.blocked():
		t.undoCompaction("the agent cannot go on")
	case t.s.compaction.due && t.s.canPark():
		t.s.compaction.due = false
		if p := &t.s.record.Past; compaction.Possible(p) && compaction.Due(p, t.s.options.CompactThreshold) && !t.s.occupied() && !t.s.replacing() && !t.s.ending.Shutdown && !t.s.paused() {
			t.sendCompact(t.now.id(), messages.CompactionByThreshold)
		}
	}
}

// compactionTimedOut gives up on an agent that does not come to an end with it.
func (t *transition) compactionTimedOut(m compactionLate) {
	if !t.s.compacting() || t.s.record.Past.Compaction.Key != m.key {
		return
	}
	t.change().Turn = false // it is not to be continued
	t.undoCompaction("the agent took longer than " + texts.Duration(compactionPatience))
	if t.s.agent.up {
		t.replaceAgent(ending.Replace, run.StopResumable)
	}
}

// compactionAnswered answers a caller that has waited for compactionAnswer with the state of the compaction so far.
func (t *transition) compactionAnswered(m compactionSlow) {
	i := slices.Index(t.s.compaction.waiting, m.from)
	if i < 0 {
		return
	}
	t.s.compaction.waiting = slices.Delete(slices.Clone(t.s.compaction.waiting), i, i+1)
	t.then(act.Reply{To: m.from, With: compaction.SoFar(t.s.record.Past.Compaction, t.s.record.Messages)})
}

// recoverCompaction sets the timer of a compaction that was under way when the session was loaded.
func (t *transition) recoverCompaction() {
	if t.s.compacting() {
		t.then(act.After{Delay: compactionPatience, Message: compactionLate{t.s.record.Past.Compaction.Key}})
	}
}

// hasConversation reports whether there is a conversation that an agent can summarise.
func (s *state) hasConversation() bool {
	return !s.proxied() && s.record.InTranscript && s.record.AgentSession != "" && s.record.Phase != messages.PhaseCrashed
}

// settling reports whether only the agent's own end of its turn keeps the session busy: TurnComplete was published, and the agent
// is about to become idle.
func (s *state) settling() bool {
	return s.agent.busy && !s.busy() && len(s.slot.admissions) == 0 && len(s.record.Background) == 0 && len(s.prompts.List(prompts.UndecidedCall)) == 0
}

// trimHistory moves the low-water mark: events up to it cannot be read any more. It does not change UpdatedAt, because no client
// used the session.
func (t *transition) trimHistory(from *actor.PID, m messages.TrimHistory) {
	if !t.known(from, "trim history") {
		return
	}
	if p := &t.s.record.Past; m.To > p.LowWater && m.To <= t.s.record.Head {
		p.LowWater, p.LowWaterBytes = m.To, m.Bytes
		t.notice(retention.NoticeDropped, "Older history was given up, as the settings want it", map[string]string{
			"up_to": strconv.FormatUint(uint64(m.To), 10), "reason": m.Reason,
		})
	}
	t.then(act.Reply{To: from, With: messages.Done{}})
	t.maybeRetire()
}
