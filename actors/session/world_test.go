package session

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/claude/transcript"
	"betcode/actors/permission"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/events"
	"betcode/actors/session/recall"
	"betcode/actors/settings"
	"betcode/messages"
)

// world is what surrounds a session in its property test: the agent process with
// its spool, the actor of the run, those of the permissions, and the timers. All
// of them act when they are told to, so that chance decides about the order.
type world struct {
	t     *rapid.T
	b     *bench
	agent *agentProcess // the newest, alive or dead; nil before the first
	run   *runActor     // nil if the session has none
	asked map[messages.RequestID]permission.State

	failing bool // the journal
	pool    pool.State
	mailbox []any // to the session, in order
	timers  []act.After
	seen    int // effects of the bench that were carried out

	accepted map[string]messages.Seq // inputs that were acknowledged
	limits   *settings.Settings      // of the pool

	fleetStopped bool
	excused      map[string]bool // inputs that the agent has answered, or has in its transcript
	settled      map[string]bool
}

func newWorld(t *rapid.T) *world {
	w := &world{
		t: t, b: newBench(t), asked: map[messages.RequestID]permission.State{},
		limits:   &settings.Settings{MaxAgents: 1, MaxWaiting: rapid.IntRange(0, 2).Draw(t, "queue")},
		accepted: map[string]messages.Seq{}, excused: map[string]bool{}, settled: map[string]bool{},
	}
	w.b.manual, w.b.handing, w.b.reuses = true, w.checkSettled, true
	w.b.stops = savedStops{}
	w.pool = pool.New(w.limits, false, nil)
	return w
}

// tell delivers a message to the session and carries out what it wants.
func (w *world) tell(m any) {
	switch m := m.(type) {
	case run.Output:
		for _, item := range m.Items {
			w.excuse(item)
		}
	case recall.Answer:
		if slices.Contains(slices.Collect(maps.Values(m.Known)), true) {
			// Messages that began a turn together are known by the last of them.
			for _, in := range w.b.state.inputs {
				w.excused[in.Key] = true
			}
		}
	}
	w.b.tell(m)
	w.perform()
}

// excuse notes what an item says about messages that need no answer any more.
func (w *world) excuse(item claude.Item) {
	switch m := item.(type) {
	case claude.InputState:
		w.excused[m.Key] = w.excused[m.Key] || m.State >= claude.Completed
	case claude.TurnEnded:
		for _, key := range m.Inputs {
			w.excused[key] = true
		}
	}
}

// checkSettled checks that no message is forgotten without a reason or a notice.
func (w *world) checkSettled(a messages.Append) {
	dropped, undone := map[string]bool{}, false
	for _, e := range a.Events {
		var event pb.AgentEvent
		if proto.Unmarshal(e.Bytes, &event) == nil && event.GetError().GetCode() == string(messages.CompactionFailed) {
			undone = true
		}
		if event.GetNotice().GetCode() == "INPUT_DROPPED" {
			dropped[event.GetNotice().GetDetails()["idempotency_key"]] = true
		}
	}
	for _, key := range a.Done {
		if !w.excused[key] && !dropped[key] && (!undone || key[0] != 'c') {
			w.fail("message %s is forgotten", key)
		}
		w.settled[key] = true
	}
}

// perform carries out the effects that were not carried out yet.
func (w *world) perform() {
	for ; w.seen < len(w.b.effects); w.seen++ {
		switch e := w.b.effects[w.seen].(type) {
		case act.Reply:
			if m, ok := e.With.(messages.InputAcknowledged); ok {
				if before, again := w.accepted[m.Key]; again && before != m.Seq {
					w.fail("message %s is %d and %d", m.Key, before, m.Seq)
				}
				w.accepted[m.Key] = m.Seq
			}
		case saveStop:
			w.b.stops[sessionA] = e.run
			m := stopSaved{}
			if rapid.IntRange(0, 3).Draw(w.t, "cannot be noted") == 0 {
				m.err = errors.New("no space left")
			}
			w.mailbox = append(w.mailbox, m)
		case dropSavedStop:
			delete(w.b.stops, sessionA)
		case rebuild:
			w.seen++
			w.crash()
			w.tell(Rebuilt{})
			return
		case spawnRun:
			if w.run != nil {
				w.fail("run %d is spawned while run %d has its actor", e.record.Run, w.run.spawn.record.Run)
			}
			w.run = &runActor{spawn: e, offset: e.cursor.Offset}
		case dropRun:
			w.run = nil
		case spawnPermission:
			w.asked[e.record.Request] = permission.New(e.record, events.Questions(e.record), []time.Duration{time.Hour, 24 * time.Hour})
		case update:
			if state, there := w.asked[e.record.Request]; there {
				w.asked[e.record.Request], _ = state.Step(w.b.now, nil, permission.Changed{Record: e.record})
			}
		case dropPermission:
			delete(w.asked, e.request)
		case sendToPermission:
			next, effects := w.asked[e.request].Step(w.b.now, e.from, e.message)
			w.asked[e.request] = next
			w.fromPermission(effects)
		case act.After:
			w.timers = append(w.timers, e)
		case readTranscript:
			m := recall.Answer{Run: e.Run, Known: map[string]bool{}}
			if rapid.Bool().Draw(w.t, "over in the transcript") {
				m.End.Reason = "end_turn"
			}
			if e.Compare {
				m.Lacking = make([]transcript.Prompt, rapid.IntRange(0, 2).Draw(w.t, "lacking"))
			}
			for _, key := range e.Keys {
				if rapid.Bool().Draw(w.t, "in the transcript") {
					m.Known[key] = true
				}
			}
			w.mailbox = append(w.mailbox, m)
		case sendToRun:
			w.order(e)
		case askPool:
			w.b.knocked = false
			w.sendToPool(sessionA, e.message)
		case sendToPool:
			w.sendToPool(sessionA, e.message)
		}
	}
}

func (w *world) fromPermission(effects []act.Effect) {
	for _, e := range effects {
		if m, ok := e.(permission.ToSession); ok {
			w.mailbox = append(w.mailbox, m.Message)
		}
	}
}

// crash replaces the session's actor; its children go with it. If no agent lives, the next daemon may have the journal from a backup.
func (w *world) crash() {
	if r := &w.b.journal.Record; r.Run > 0 && !w.agentLives() && rapid.IntRange(0, 3).Draw(w.t, "restored") == 0 {
		if r.Restored = true; r.Turn || len(w.b.journal.Inputs) > 0 {
			r.Waiting = messages.WaitsRestored
		}
	}
	handed := w.mailbox
	w.mailbox, w.timers, w.run = nil, nil, nil
	clear(w.asked)
	w.b.crash(slices.DeleteFunc(handed, func(m any) bool {
		switch m.(type) {
		case recall.Answer, stopSaved: // of its own worker
			return true
		}
		return false
	})...)
	w.perform()
}

// fail ends the test with the last words of everybody.
func (w *world) fail(format string, args ...any) {
	history := w.b.history[max(0, len(w.b.history)-80):]
	w.t.Fatalf(format+"; before that:\n%s", append(args, strings.Join(history, "\n"))...)
}

// stopFleet stops the fleet or resumes it.
func (w *world) stopFleet(stop bool) {
	if stop == w.fleetStopped {
		return
	}
	if w.fleetStopped = stop; stop {
		w.sendToPool(sessionA, pool.Stop{})
	} else {
		w.sendToPool(sessionA, pool.Resume{})
	}
}

// sendToPool tells the pool something in the name of a session. What it answers to
// ours goes into the mailbox.
func (w *world) sendToPool(from messages.SessionID, message any) {
	next, effects := w.pool.Step(pool.Env{At: w.b.now}, actor.NewPID("here", string(from)), message)
	w.pool = next
	for _, e := range effects {
		switch e := e.(type) {
		case act.Reply:
			if e.To.Id == string(sessionA) {
				w.mailbox = append(w.mailbox, e.With)
			}
		case pool.ToSession:
			if e.Session == sessionA {
				w.mailbox = append(w.mailbox, e.Message)
			}
		}
	}
}
