package session

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"betcode/actors/client"
	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/journal"
	"betcode/actors/permission"
	"betcode/actors/run"
	"betcode/actors/session/events"
	"betcode/actors/session/proxied"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// session is the actor of one conversation. It keeps a [state], performs the effects of its steps in order, and never waits.
//
// Its children are its run, its clients and its undecided permission requests. Their names follow from their ids, so the session
// does not store addresses.
//
// What survives a restart: everything that was committed. The agent process is not touched; the new incarnation adopts it. The
// gateway attaches the streams again.
type session struct {
	deps    *Deps
	id      messages.SessionID
	state   state
	streams map[string]*actor.PID // as spawned
	asked   permission.Actors
	proxies proxied.Connections
	timers  act.Timers
	io      *act.Worker
	leaving bool
}

// Props describes the actor of a session. d is shared by all sessions.
func Props(d *Deps, id messages.SessionID) *actor.Props {
	grace := d.Options.LockGrace - d.Now().Sub(d.Started) // for a crash of the daemon
	return d.Props("session", func() actor.Actor {
		options := d.Options
		options.Settings = d.Settings()
		options.LockGrace, grace = grace, d.Options.LockGrace // and next time for one of the actor
		return &session{
			deps: d, id: id, streams: map[string]*actor.PID{}, asked: permission.Actors{}, proxies: proxied.Connections{},
			state: state{id: id, options: options},
		}
	})
}

// Receive implements actor.Actor.
func (s *session) Receive(ctx actor.Context) {
	switch m := act.Unwrap(s, ctx.Message()).(type) {
	case *actor.Started:
		s.io = act.NewWorker(ctx, s.deps.Workers, s)
		ctx.Request(s.deps.Journal, messages.LoadSession{Session: s.id})
		ctx.Send(ctx.Parent(), Started{Session: s.id})
	case *actor.Stopping, *actor.Restarting:
		s.leaving = true
		s.proxies.CloseAll()
		s.io.Close(nil)
		s.timers.Stop()
	case *actor.Terminated:
		if !s.leaving && s.state.active() && m.Who.Id == s.child(ctx, "run", s.state.record.Run).Id {
			panic("the actor of a run was given up") // the session would never learn of the end of the run
		}
		if !s.leaving && s.mayLeave(ctx) {
			ctx.Send(ctx.Parent(), Idle{Session: s.id})
		}
		if request, ended := s.asked.Ended(m.Who); ended && !s.leaving { // a person could never answer it
			if record, waits := s.state.prompts.Find(request); waits {
				s.wait(ctx, record)
			}
		}
	case nil, *actor.Stopped:
	case MayLeave:
		ctx.Send(ctx.Parent(), LeaveAnswer{Session: s.id, Leaves: s.mayLeave(ctx)})
	default:
		failpoint.Hit(failpoint.SessionStep)
		if _, proxied := m.(messages.TakeProxyFrames); proxied {
			failpoint.Hit(failpoint.ProxyFrames)
		}
		now := s.env(ctx.Message())
		before := s.state.record.Phase
		next, effects := s.state.step(now, ctx.Sender(), m)
		s.state = next
		switch m := m.(type) {
		case messages.SessionLoaded:
			failpoint.Hit(failpoint.SessionLoad)
		case journal.Unloadable:
			s.log().Error().Err(m.Err).Str("hint", m.Err.Hint).Msg("session is damaged: it cannot be loaded")
		case straysEnded:
			s.logStrays(m)
		}
		s.show(ctx, before)
		for _, e := range effects {
			s.perform(ctx, e)
		}
	}
}

// env is what a step needs now.
func (s *session) env(m any) env {
	now := env{
		at: s.deps.Now(), id: uuid.NewString, chance: rand.Float64, full: s.deps.DiskFull(),
		rules: s.deps.Rules(), versions: s.deps.NotContinuing(),
	}
	now.day = s.deps.DayBudget(s.id, now.at)
	if _, loads := m.(messages.SessionLoaded); loads {
		now.savedStop, now.stopSaved = s.deps.Stops.Of(s.id)
	}
	return now
}

// mayLeave reports whether the actor may be stopped. Stopping it stops its children at once, so their messages are handled first.
func (s *session) mayLeave(ctx actor.Context) bool { return s.state.idle() && len(ctx.Children()) == 0 }

func (s *session) perform(ctx actor.Context, e act.Effect) {
	s.logEffect(e)
	switch e := e.(type) {
	case persist:
		ctx.Request(s.deps.Journal, e.Append)
	case act.Reply:
		if _, proxied := e.With.(messages.ProxyFramesTaken); proxied {
			failpoint.Hit(failpoint.ProxyTaken)
		}
		act.Send(ctx, e.To, e.With)
	case publish:
		news := messages.Published{Events: e.events, Head: e.head, Progress: e.progress}
		for _, pid := range s.streams {
			ctx.Send(pid, news)
		}
	case openProxy:
		s.proxies.Open(e.connection, e.sink)
	case sendToProxy:
		failpoint.Hit(failpoint.ProxySend)
		s.proxies.Send(e.connection, e.event)
	case closeProxy:
		s.proxies.Close(e.connection, e.last, e.reason)
	case sendToStream:
		if pid := s.streams[e.stream]; pid != nil {
			ctx.Send(pid, messages.Published{Events: e.events, Progress: e.progress})
		}
	case sendToRun:
		ctx.Send(s.child(ctx, "run", e.run), e.message)
	case sendToPermission:
		if pid := s.asked[e.request]; pid != nil {
			ctx.RequestWithCustomSender(pid, e.message, e.from)
		} else {
			act.Send(ctx, e.from, messages.Errorf("answer permission", messages.Unavailable, "the request is being looked after").WithHint("try again"))
		}
	case act.After:
		s.timers.Start(ctx, e.Delay, e.Message)
	case loadAgain:
		ctx.Request(s.deps.Journal, messages.LoadSession{Session: s.id})
	case question:
		s.io.Do(e.asks(s.deps, &s.state))
	case sendToSession:
		ctx.Send(ctx.Parent(), e.Toward)
	case askPool:
		ctx.Request(s.deps.Pool, e.message)
	case sendToPool:
		ctx.Send(s.deps.Pool, e.message)
	case sendToDay:
		ctx.Send(s.deps.Day, e.Report)
	case subagentEnded:
		if s.deps.SubagentEnded != nil {
			s.deps.SubagentEnded(e.record)
		}
	case planBudgetDecided:
		if s.deps.PlanBudgetDecided != nil {
			s.deps.PlanBudgetDecided(e.request)
		}
	case notifyPerson:
		s.deps.Notify(e.event)
	case noteVersion:
		s.background(func() error { return s.deps.NoteVersion(e.version) })
	case dropSavedStop:
		stops, id := s.deps.Stops, s.id
		stops.Drop(id)
		s.background(func() error { return stops.Save(id) })
	case keepReport:
		s.background(func() error { return s.deps.SaveReport(e.report, e.directory, e.environment) })
	case auditing:
		if e.entry.ErrorCode == string(messages.SubprocessCrashed) {
			ctx.Send(s.deps.Health, health.AgentCrashed{Session: s.id})
		}
		s.deps.Audit(e.entry)
	case remember:
		s.background(func() error { return s.deps.SaveAbilities(e.directory, e.abilities) })
	case archiveRuns:
		s.deps.Archive(e.directory, e.upTo)
	case rebuild:
		ctx.Send(ctx.Parent(), Rebuild{Session: s.id})
	case retire:
		ctx.Send(ctx.Parent(), Idle{Session: s.id})
	case forget:
		directory, temporary := e.directory, s.deps.Temporary(s.id)
		s.background(func() error { return errors.Join(os.RemoveAll(directory), os.RemoveAll(temporary)) })
	default:
		s.performChild(ctx, e)
	}
}

// background has I/O done that the session does not wait for. It outlives the session's actor.
func (s *session) background(job func() error) {
	s.deps.Background.Do(func() any { return act.Failure(job()) })
}

// performChild carries out the effects that start and stop children. A name
// that is taken belongs to a child that is there already.
func (s *session) performChild(ctx actor.Context, e act.Effect) {
	switch e := e.(type) {
	case spawnRun:
		s.spawn(ctx, run.Props(s.deps.Run, run.Start{Session: s.state.record, Record: e.record, Cursor: e.cursor, Fresh: e.fresh, Resume: e.resume}), "run", e.record.Run)
	case spawnClient:
		if pid := s.spawn(ctx, client.Props(s.deps.Client, e.attach, e.state), "client", e.attach.Stream); pid != nil {
			s.streams[e.attach.Stream] = pid
		}
	case dropClient:
		if pid := s.streams[e.stream]; pid != nil {
			delete(s.streams, e.stream)
			ctx.Poison(pid)
		}
	case spawnPermission:
		s.wait(ctx, e.record)
	case update:
		if pid := s.asked[e.record.Request]; pid != nil {
			ctx.Send(pid, permission.Changed{Record: e.record})
		}
	case dropPermission:
		s.asked.Stop(ctx, e.request)
	case dropRun:
		ctx.Poison(s.child(ctx, "run", e.run))
	default:
		panic(fmt.Sprintf("unknown effect %T", e))
	}
}

func (s *session) spawn(ctx actor.Context, props *actor.Props, kind string, name any) *actor.PID {
	pid, err := ctx.SpawnNamed(props, act.ChildName(kind, name))
	if err != nil {
		s.log().Debug().Str("actor", act.ChildName(kind, name)).Err(err).Msg("actor is there already")
		return nil
	}
	return pid
}

// wait starts the actor of a request that waits.
func (s *session) wait(ctx actor.Context, record messages.PermissionRecord) {
	s.asked.Start(ctx, s.deps.Permission, record, events.Questions(record))
}

func (s *session) child(ctx actor.Context, kind string, name any) *actor.PID {
	return actor.NewPID(ctx.Self().Address, ctx.Self().Id+"/"+act.ChildName(kind, name))
}
