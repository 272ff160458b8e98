package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/client"
	"betcode/actors/internal/act"
	"betcode/messages"
)

// Follower is one attached stream as the gateway sees it.
type Follower struct {
	system *System
	attach messages.Attach
	box    *client.Outbox
	client *actor.PID // the client actor of the present attachment
	epoch  atomic.Uint64
}

// Attach adds a stream to a session and returns it with the session's present head.
// The stream outlives crashes of the session's actor: it is attached again behind the
// last number delivered. After an error nothing is attached, even if the session takes
// the request after ctx has ended.
func (s *System) Attach(ctx context.Context, a messages.Attach) (*Follower, messages.Attached, error) {
	f := &Follower{system: s, attach: a}
	attached, err := f.connect(ctx)
	if err != nil {
		f.Close()
	}
	return f, attached, err
}

// connect attaches the stream under a new name, because the actor of the previous
// name may not have stopped yet.
func (f *Follower) connect(ctx context.Context) (messages.Attached, error) {
	a := f.attach
	a.Stream = fmt.Sprintf("%s.%d", f.attach.Stream, f.epoch.Add(1))
	pid := actor.NewPID(f.system.sessions.Address, f.system.sessions.Id+"/"+act.ChildName("session", a.Session)+"/"+act.ChildName("client", a.Stream))
	root, now := f.system.actors.Root, f.system.now
	box := client.NewOutbox(func() { root.Send(pid, messages.OutboxDrained{At: now()}) })
	a.Sink = box
	answer, err := f.system.ask(ctx, f.system.sessions, a)
	if err != nil {
		return messages.Attached{}, err
	}
	attached, ok := answer.(messages.Attached)
	if !ok {
		return messages.Attached{}, messages.Errorf("attach", messages.Internal, "unexpected answer %T", answer)
	}
	f.box, f.client = box, pid
	if h := f.attach.History; h == messages.HistoryNone || h == messages.HistoryPendingOnly {
		f.attach.History, f.attach.From = messages.HistoryFromSequence, attached.Head
	}
	return attached, nil
}

// Ready is signalled when Take has something to return.
func (f *Follower) Ready() <-chan struct{} { return f.box.Ready() }

// Take returns the buffered events in order, each journaled event once. It returns
// [io.EOF] behind the last event after a clean end. It waits only while the session's
// actor is being restarted.
func (f *Follower) Take(ctx context.Context) ([]messages.Event, error) {
	events, err := f.box.Take()
	if errors.Is(err, client.ErrDetached) {
		return nil, f.again(ctx)
	}
	for _, e := range events {
		if e.Seq > 0 {
			f.attach.History, f.attach.From = messages.HistoryFromSequence, e.Seq
		}
	}
	return events, err
}

// Finish declares that the client sends no more requests: the stream ends as soon as the
// session is quiescent and its last event was taken.
func (f *Follower) Finish() {
	f.attach.Follow = messages.FollowAnswers // if it is attached again
	f.system.actors.Root.Send(f.client, messages.Finish{})
}

// again attaches the stream after its actor has stopped. It retries with backoff until the
// session's actor has been restarted.
func (f *Follower) again(ctx context.Context) error {
	f.Close()
	pause := 10 * time.Millisecond
	for {
		_, err := f.connect(ctx)
		f.logAgain(err)
		switch kind := messages.KindOf(err); {
		case err == nil || ctx.Err() != nil:
			return err
		case kind != messages.Unavailable && kind != messages.DeadlineExceeded: // a retry would fail the same way
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause = min(2*pause, time.Second)
	}
}

// logAgain logs that the stream was attached again, or why not yet.
func (f *Follower) logAgain(err error) {
	f.system.logOf(act.ChildName("session", f.attach.Session)).Warn().Str(act.LogSession, string(f.attach.Session)).
		Str("stream", f.attach.Stream).Uint64("attempt", f.epoch.Load()-1).Err(err).Msg("stream is attached again")
}

// Close removes the stream from its session. It does not end the running turn.
func (f *Follower) Close() {
	f.system.actors.Root.Send(f.system.sessions, messages.Detach{
		Session: f.attach.Session, Stream: fmt.Sprintf("%s.%d", f.attach.Stream, f.epoch.Load()), Draining: f.system.draining.Load(),
	})
}
