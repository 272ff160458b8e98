package run

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/actors/internal/spool"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// Deps is what the actor of a run needs of the system.
type Deps struct {
	act.Common

	Health     *actor.PID
	DiskFull   func() bool
	SpoolQuota int64                                 // bytes that an agent may be ahead of the journal; 0 = any number
	Archive    func(directory string, to int64)      // archives the live spool in a run directory up to an offset
	OpenSpool  func(path string) (spool.File, error) // nil = as files are opened
	Watcher    *spool.Watcher
	Shows      func(level zerolog.Level) bool // whether the log shows a level
	Mask       func(text string) string       // hides secrets in what the log shows of the agent's lines

	// A worker calls the functions below when it starts an agent.

	Version  func() string                                                                // the version of the agent's program; empty = not known
	Refused  func(run messages.RunRecord, version string) (messages.Exit, bool)           // reports whether a version is refused, and the exit
	Prepared func(err error) (exit messages.Exit, lasts bool)                             // reports the result of making the run directory to health; lasts = a retry would fail too
	Spec     func(messages.SessionRecord, messages.RunRecord, bool) (process.Spec, error) // the process to start; true = it continues a turn
	Guard    func(messages.SessionRecord, messages.RunRecord) (argv, env []string, err error)
	Fleet    FleetTickets // nil = no agent has a fleet server
}

// FleetTickets decides which process is the fleet server of a run. Workers call it.
type FleetTickets interface {
	// Await waits for the fleet server of a run, if it is to have one, at most patience. After that no process becomes it.
	Await(ctx context.Context, run messages.RunRecord, patience time.Duration) error
	// Drop forgets the fleet server of a run that has ended.
	Drop(run messages.RunRecord)
}

// Start names the agent to run.
type Start struct {
	Session messages.SessionRecord
	Record  messages.RunRecord
	Cursor  messages.Cursor
	Fresh   bool // never tried: spawn it; otherwise look for the process first
	Resume  bool // an interrupted turn should be continued
}

// run is one incarnation of the agent process. Its state is a [state]. It reads and writes on separate workers, so that a full
// pipe never blocks reading. It is a child of its session, named run/<n>.
//
// What survives a restart: the process, which this actor does not own, and [inherited]. The next incarnation adopts the process
// and reads on behind the last line that was sent to the session; after a restart of the session, behind the journal's cursor.
type run struct {
	deps    *Deps
	root    *actor.RootContext
	session messages.SessionRecord
	fresh   bool
	resume  bool
	state   state
	life    context.Context // ends with this incarnation
	end     context.CancelFunc
	reader  *act.Worker
	writer  *act.Worker
	timers  act.Timers
	kept    *inherited

	agent *agent // nil until opened
	made  *agent // the same agent, for the reader's jobs alone
}

// inherited is state that the next incarnation gets after a crash.
type inherited struct {
	alarmed    bool      // an alarm froze the agent
	offset     int64     // behind the last line that was sent to the session, in bytes of the spool
	translator []byte    // the translator's state there
	unreadable time.Time // since when the session believes that the spool cannot be read; zero = it can be read
	credits    int       // batches that may still be sent to the session
}

// note runs before the step that takes the message: if that step crashes, the message is not delivered again.
func (k *inherited) note(m any) {
	switch m := m.(type) {
	case Freeze:
		if m.Why == Alarm {
			k.alarmed = m.On
		}
	case messages.Credit:
		k.credits += m.Batches
	}
}

// Props describes the actor of a run. Only its first incarnation may spawn; a later one looks for the process first.
func Props(d Deps, e Start) *actor.Props {
	fresh, kept := e.Fresh, &inherited{
		alarmed: e.Record.Frozen, offset: e.Cursor.Offset, translator: e.Cursor.Translator, credits: maxCredits,
	}
	return d.Props("run", func() actor.Actor {
		translator, err := claude.ParseState(kept.translator)
		if err != nil {
			panic("translator state: " + err.Error())
		}
		r := &run{deps: &d, session: e.Session, fresh: fresh, resume: e.Resume, kept: kept, state: state{
			record: e.Record, offset: kept.offset, translator: translator, credits: kept.credits,
			quota: quota{limit: d.SpoolQuota, journaled: e.Cursor.Offset}, outputUnreadable: outputUnreadable{since: kept.unreadable},
		}}
		if kept.alarmed {
			r.state = r.state.want(Freeze{Alarm, true})
		}
		fresh = false
		return r
	})
}

// Receive implements actor.Actor.
func (r *run) Receive(ctx actor.Context) {
	switch m := act.Unwrap(r, ctx.Message()).(type) {
	case *actor.Started:
		r.start(ctx)
	case *actor.Restarting:
		r.release()
	case *actor.Stopping:
		r.release()
		if !r.kept.unreadable.IsZero() { // after a restart the next incarnation finds out for itself
			r.root.Send(r.deps.Health, health.Spool{Session: r.session.ID})
		}
	case nil, *actor.Stopped:
	case Lost:
		panic("open agent: " + m.Err.Error())
	case agentOpened:
		r.step(ctx, r.opened(ctx, m))
	default:
		r.kept.note(m)
		failpoint.Hit(failpoint.RunStep)
		r.step(ctx, m)
	}
}

func (r *run) step(ctx actor.Context, m any) {
	switch m := m.(type) { // lines are valid until the next read
	case linesRead:
		r.logBatch(m.batch)
	case tailRead:
		r.logBatch(m.batch)
	case lineWritten:
		r.logWritten(m)
	}
	next, effects := r.state.step(r.deps.Now(), m)
	r.logNotJSON(r.state, next)
	r.state = next
	for _, e := range effects {
		r.perform(ctx, e)
	}
}

func (r *run) start(ctx actor.Context) {
	r.life, r.end = context.WithCancel(context.Background())
	r.root = ctx.ActorSystem().Root
	r.reader, r.writer = act.NewWorker(ctx, r.deps.Workers, r), act.NewWorker(ctx, r.deps.Workers, r)
	if r.deps.DiskFull() {
		r.state = r.state.want(Freeze{DiskFull, true})
	}
	r.open(ctx)
}
