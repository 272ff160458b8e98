package orchestrate

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

const (
	// watchPause and watchPatience are the pause between two connections to a lost daemon, and the time after which the watch fails.
	watchPause    = time.Second
	watchPatience = 2 * time.Minute
	// redrawPause is the least time between two pictures of the graph.
	redrawPause = 100 * time.Millisecond
	// maxRows is the maximum height of a picture: a terminal cannot redraw rows that have scrolled away.
	maxRows = 40
)

// watchEvents passes the events of an orchestration to do, until it has ended. After an outage of the daemon it continues after
// the last event.
func watchEvents(ctx context.Context, cl *client.Client, id string, from uint64, say func(string), do func(*pb.OrchestrationEvent) error) error {
	var lost time.Time
	for {
		stream, err := cl.Subagent.WatchOrchestration(ctx, &pb.WatchOrchestrationRequest{OrchestrationId: id, FromSequence: from})
		if err == nil {
			for {
				var e *pb.OrchestrationEvent
				if e, err = stream.Recv(); err != nil {
					break
				}
				from, lost = e.GetSequence(), time.Time{}
				if err := do(e); err != nil {
					return err
				}
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case status.Code(err) != codes.Unavailable || ctx.Err() != nil:
			return err
		case lost.IsZero():
			lost = time.Now()
			say("The daemon does not answer; trying again. The orchestration goes on when it does.")
		case time.Since(lost) > watchPatience:
			return err
		}
		select {
		case <-time.After(watchPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// planStream prints the events of an orchestration.
func (p group) planStream(c *cli.Context) output.Stream {
	texts := newScreen(p, &pb.OrchestrationInfo{Id: c.Args().First()})
	return output.Stream{
		Entry: &pb.OrchestrationEvent{}, Name: "sequence", Form: output.JSONL, AtOnce: true, Columns: session.EventColumns(),
		Row: func(m proto.Message, l output.Look) []string {
			e := m.(*pb.OrchestrationEvent)
			if e.GetEvent() == nil {
				return session.EventRow(e.GetSequence(), e.GetTimestamp(), e.GetAgentEvent(), l)
			}
			kind := e.ProtoReflect().WhichOneof(e.ProtoReflect().Descriptor().Oneofs().ByName("event")).Name()
			return []string{strconv.FormatUint(e.GetSequence(), 10), e.GetTimestamp().AsTime().Local().Format(time.DateTime), string(kind), l.Cut(texts.take(e), 400)}
		},
	}
}

// followPlan shows an orchestration until it has ended: on a terminal as a graph that is redrawn, otherwise as lines. Steps that
// failed are an error without words: they were shown. With unattended it ends when the plan rests at its budget, and leaves the plan as it
// is.
func (p group) followPlan(ctx context.Context, cl *client.Client, id string, unattended bool) error {
	first, err := cl.Subagent.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: id})
	if err != nil {
		return err
	}
	s := newScreen(p, first)
	events, failed := make(chan *pb.OrchestrationEvent), make(chan error, 1)
	waiting := make(chan []*pb.PendingPermission)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		failed <- watchEvents(ctx, cl, first.GetId(), 0, func(text string) { p.Say("%s", text) }, func(e *pb.OrchestrationEvent) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	go waitingRequests(ctx, cl, first.GetParentSessionId(), waiting)
	interrupts, stop := p.OnInterrupt()
	defer stop()
	tick := time.NewTicker(redrawPause)
	defer tick.Stop()
	for {
		select {
		case e := <-events:
			s.apply(e)
			if unattended && s.restsAtBudget() {
				now, err := cl.Subagent.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: first.GetId()})
				if err == nil && now.GetBudget().GetHeld() != "" && now.GetHead() == e.GetSequence() { // the event is not history
					cancel()
					<-failed //nolint:errcheck // it ends because of cancel
					p.Say("The budget of the plan is used. Answer the request (betcode permission list), then see it again: betcode orchestrate watch %s", console.ShortID(first.GetId()))
					return exit.Silent(exit.RateLimited)
				}
			}
		case requests := <-waiting:
			s.waiting(requests)
		case <-tick.C:
			s.draw()
		case <-interrupts:
			s.draw()
			cancel()
			<-failed //nolint:errcheck // it ends because of cancel
			p.Say("The orchestration goes on. See it again: betcode orchestrate watch %s", console.ShortID(first.GetId()))
			return exit.Silent(exit.Interrupted)
		case err := <-failed:
			s.draw()
			if err != nil {
				return err
			}
			return s.end()
		}
	}
}
