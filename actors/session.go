package actors

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"betcode/messages"
)

// session is one conversation, as an actor. What it is stands in
// [sessionState]; this is how it is run: it keeps the state, carries out the
// effects in order and never waits.
//
// Its children are its run, its clients and its undecided permissions, each by
// name, so that an address is known without being kept.
//
// What survives a restart: everything that was committed. The agent process is
// not touched; the new incarnation adopts it. Streams are attached again by the
// gateway.
type session struct {
	deps    *System
	id      messages.SessionID
	state   sessionState
	streams map[string]*actor.PID // as spawned
	timers  []*time.Timer
	hands   *worker
	leaving bool
}

func sessionProps(s *System, id messages.SessionID) *actor.Props {
	return s.tree.Props("session", s.policy, func() actor.Actor {
		return &session{deps: s, id: id, streams: map[string]*actor.PID{}, state: sessionState{id: id, options: s.sessionOptions()}}
	})
}

// Receive implements actor.Actor.
func (s *session) Receive(ctx actor.Context) {
	switch m := mine(s, ctx.Message()).(type) {
	case *actor.Started:
		s.hands = newWorker(ctx, &s.deps.workers, s)
		ctx.Request(s.deps.journal, messages.LoadSession{Session: s.id})
	case *actor.Stopping, *actor.Restarting:
		s.leaving = true
		s.hands.close(nil)
		for _, t := range s.timers {
			t.Stop()
		}
	case *actor.Terminated:
		if !s.leaving && s.state.active() && m.Who.Id == s.child(ctx, "run", s.state.record.Run).Id {
			panic("the actor of a run was given up") // nobody would ever hear how the run ends
		}
	case nil, *actor.Stopped:
	case mayGo:
		ctx.Send(ctx.Parent(), goodbye{s.id, s.state.idle()})
	default:
		now := moment{at: s.deps.now(), id: uuid.NewString, chance: rand.Float64}
		before := s.state.record.Phase
		next, effects := s.state.step(now, ctx.Sender(), m)
		s.state = next
		s.show(ctx, before)
		for _, e := range effects {
			s.perform(ctx, e)
		}
	}
}

// show keeps the tree and the log true: each change of phase once.
func (s *session) show(ctx actor.Context, before messages.Phase) {
	phase := s.state.record.Phase
	if phase == before && s.state.commits > 1 {
		return
	}
	s.deps.tree.Detail(ctx.Self(), "phase", phase.String())
	if phase != before {
		s.deps.log.Info().Str(logSession, string(s.id)).Str("from", before.String()).Str("to", phase.String()).Msg("session changed")
	}
}

func (s *session) perform(ctx actor.Context, e effect) {
	switch e := e.(type) {
	case persist:
		ctx.Request(s.deps.journal, e.Append)
	case reply:
		send(ctx, e.to, e.with)
	case publish:
		news := messages.Published{Events: e.events, Head: e.head, Settled: e.settled}
		for _, pid := range s.streams {
			ctx.Send(pid, news)
		}
	case tellRun:
		ctx.Send(s.child(ctx, "run", e.run), e.message)
	case forward:
		ctx.RequestWithCustomSender(s.child(ctx, "permission", e.request), e.message, e.from)
	case wakeAfter:
		s.timers = append(s.timers, timer(ctx, e.delay, e.message))
	case loadAgain:
		ctx.Request(s.deps.journal, messages.LoadSession{Session: s.id})
	case readTranscript:
		environment := s.deps.options.Environment
		s.hands.do(func() any { return e.read(environment) })
	case retire:
		ctx.Send(ctx.Parent(), sessionIdle{s.id})
	case forget:
		directory := e.directory
		s.deps.janitor.do(func() any {
			if err := os.RemoveAll(directory); err != nil {
				return err
			}
			return nil
		})
	default:
		s.performChild(ctx, e)
	}
}

// performChild carries out the effects that start and stop children. A name
// that is taken belongs to a child that is there already.
func (s *session) performChild(ctx actor.Context, e effect) {
	switch e := e.(type) {
	case spawnRun:
		s.spawn(ctx, runProps(s.deps, s.state.record, e), "run", e.record.Run)
	case spawnClient:
		if pid := s.spawn(ctx, clientProps(s.deps, e.attach, e.state), "client", e.attach.Stream); pid != nil {
			s.streams[e.attach.Stream] = pid
		}
	case dropClient:
		if pid := s.streams[e.stream]; pid != nil {
			delete(s.streams, e.stream)
			ctx.Poison(pid)
		}
	case spawnPermission:
		s.spawn(ctx, permissionProps(s.deps, e.record), "permission", e.record.Request)
	case dropPermission:
		ctx.Poison(s.child(ctx, "permission", e.request))
	case dropRun:
		ctx.Poison(s.child(ctx, "run", e.run))
	default:
		panic(fmt.Sprintf("unknown effect %T", e))
	}
}

func (s *session) spawn(ctx actor.Context, props *actor.Props, kind string, name any) *actor.PID {
	pid, err := ctx.SpawnNamed(props, childName(kind, name))
	if err != nil {
		s.deps.log.Debug().Str(logSession, string(s.id)).Str("actor", childName(kind, name)).Err(err).Msg("actor is there already")
		return nil
	}
	return pid
}

func (s *session) child(ctx actor.Context, kind string, name any) *actor.PID {
	return actor.NewPID(ctx.Self().Address, ctx.Self().Id+"/"+childName(kind, name))
}

func childName(kind string, name any) string { return fmt.Sprintf("%s/%v", kind, name) }
