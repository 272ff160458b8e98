package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/plangraph"
	pb "betcode/proto/betcode/v1"
)

const (
	// watchPause and watchPatience are the pause between two connections to a lost daemon, and the time after which the watch fails.
	watchPause    = time.Second
	watchPatience = 2 * time.Minute
	// redrawPause is the least time between two pictures of the graph.
	redrawPause = 100 * time.Millisecond
	// maxRows bounds a picture: a terminal cannot redraw what has scrolled away.
	maxRows = 40
)

// watchEvents passes the events of an orchestration to do, until it has ended. It goes on behind the last event when the daemon
// was away.
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

// followPlan shows an orchestration until it has ended: on a terminal as a graph that is redrawn, otherwise as lines. Steps that
// failed are an error without words: they were shown.
func (p *program) followPlan(ctx context.Context, cl *client.Client, id string) error {
	first, err := cl.Subagent.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: id})
	if err != nil {
		return err
	}
	s := newScreen(p, first)
	events, failed := make(chan *pb.OrchestrationEvent), make(chan error, 1)
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
	interrupts, stop := p.OnInterrupt()
	defer stop()
	tick := time.NewTicker(redrawPause)
	defer tick.Stop()
	for {
		select {
		case e := <-events:
			s.apply(e)
		case <-tick.C:
			s.draw()
		case <-interrupts:
			s.draw()
			cancel()
			<-failed //nolint:errcheck // it ends because of cancel
			p.Say("The orchestration goes on. See it again: betcode orchestrate watch %s", console.ShortID(first.GetId()))
			return nil
		case err := <-failed:
			s.draw()
			if err != nil {
				return err
			}
			return s.end()
		}
	}
}

// screen is the picture of an orchestration.
type screen struct {
	p     *program
	id    string
	nodes []plangraph.Node
	place map[string]int
	live  bool // the picture is redrawn
	drawn int  // lines of the last picture
	dirty bool
	last  *pb.OrchestrationEvent
}

func newScreen(p *program, o *pb.OrchestrationInfo) *screen {
	s := &screen{p: p, id: o.GetId(), live: p.Terminal.Out, place: map[string]int{}, dirty: true}
	for i, step := range o.GetSteps() {
		s.nodes = append(s.nodes, plangraph.Node{ID: step.GetId(), Name: step.GetName(), DependsOn: step.GetDependsOn(), Status: "pending"})
		s.place[step.GetId()] = i
	}
	return s
}

// apply takes an event into the picture; without one it prints a line.
func (s *screen) apply(e *pb.OrchestrationEvent) {
	s.dirty = true
	line := ""
	switch e := e.GetEvent().(type) {
	case *pb.OrchestrationEvent_StepStarted:
		n := s.node(e.StepStarted.GetStepId())
		n.Status, n.Attempt, n.Note = "running", e.StepStarted.GetAttempt(), ""
		line = fmt.Sprintf("%s started as %s", n.ID, e.StepStarted.GetSubagentId())
		if n.Attempt > 1 {
			line += fmt.Sprintf(" (attempt %d)", n.Attempt)
		}
	case *pb.OrchestrationEvent_StepCompleted:
		n := s.node(e.StepCompleted.GetStepId())
		n.Status, n.Note = "completed", e.StepCompleted.GetResultSummary()
		line = fmt.Sprintf("%s completed (%d of %d): %s", n.ID, e.StepCompleted.GetCompletedCount(), e.StepCompleted.GetTotalCount(), n.Note)
	case *pb.OrchestrationEvent_StepFailed:
		line = s.stepFailed(e.StepFailed)
	case *pb.OrchestrationEvent_Changed:
		line = s.changed(e.Changed)
	case *pb.OrchestrationEvent_Completed:
		line = fmt.Sprintf("ended: %d of %d steps completed%s", e.Completed.GetSucceeded(), e.Completed.GetTotalSteps(), after(", ", costOf(e.Completed.GetCostUsd())))
	case *pb.OrchestrationEvent_Failed:
		line = fmt.Sprintf("stopped: %s; %d steps completed%s", e.Failed.GetErrorMessage(), e.Failed.GetCompletedSteps(), after(", ", costOf(e.Failed.GetCostUsd())))
	}
	s.last = e
	if !s.live {
		fmt.Fprintln(s.p.Stdout, console.Shorten(console.Line(line), 300))
	}
}

func (s *screen) stepFailed(e *pb.StepFailed) string {
	n := s.node(e.GetStepId())
	n.Status, n.Note = "failed", e.GetErrorMessage()
	switch {
	case e.GetWillRetry():
		n.Status = "waiting"
	case e.GetCancelled():
		n.Status = "cancelled"
	}
	line := fmt.Sprintf("%s %s: %s", n.ID, n.Status, n.Note)
	for _, id := range e.GetBlockedSteps() {
		s.node(id).Status = "blocked"
	}
	if blocked := e.GetBlockedSteps(); len(blocked) > 0 {
		line += "; blocked: " + joined(blocked)
	}
	return line
}

func (s *screen) changed(e *pb.OrchestrationChanged) string {
	switch e.GetChange() {
	case "retried":
		for i := range s.nodes {
			if n := &s.nodes[i]; n.Status == "blocked" || n.Status == "waiting" {
				n.Status, n.Note = "pending", ""
			}
		}
		for _, id := range e.GetSteps() {
			s.node(id).Status = "pending"
		}
		return "retried: " + joined(e.GetSteps())
	case "step_cancelling":
		s.node(e.GetStepId()).Status = "cancelling"
	}
	line := e.GetChange()
	if e.GetReason() != "" {
		line += ": " + e.GetReason()
	}
	return line
}

// node returns the node of a step. One that the plan does not have is forgotten.
func (s *screen) node(id string) *plangraph.Node {
	if i, known := s.place[id]; known {
		return &s.nodes[i]
	}
	return &plangraph.Node{ID: id}
}

// draw replaces the picture on a terminal.
func (s *screen) draw() {
	if !s.live || !s.dirty {
		return
	}
	s.dirty = false
	lines := plangraph.Lines(s.nodes, console.Style(s.p.Terminal.Colour), 100)
	if len(lines) > maxRows {
		done := 0
		var rest []plangraph.Node
		for _, n := range s.nodes {
			if n.Status == "completed" || n.Status == "pending" {
				done++
				continue
			}
			rest = append(rest, n)
		}
		lines = plangraph.Lines(rest, console.Style(s.p.Terminal.Colour), 100)
		lines = append(lines[:min(len(lines), maxRows)], fmt.Sprintf("and %d others that have completed or not begun", done))
	}
	if s.drawn > 0 {
		fmt.Fprintf(s.p.Stdout, "\x1b[%dA\x1b[J", s.drawn)
	}
	fmt.Fprintln(s.p.Stdout, strings.Join(lines, "\n"))
	s.drawn = len(lines)
}

// end returns how the orchestration ended.
func (s *screen) end() error {
	switch e := s.last.GetEvent().(type) {
	case *pb.OrchestrationEvent_Completed:
		if s.live {
			fmt.Fprintf(s.p.Stdout, "%d of %d steps completed%s\n", e.Completed.GetSucceeded(), e.Completed.GetTotalSteps(), after(", ", costOf(e.Completed.GetCostUsd())))
		}
		if e.Completed.GetFailed() == 0 {
			return nil
		}
	case *pb.OrchestrationEvent_Failed:
		if s.live {
			fmt.Fprintf(s.p.Stdout, "stopped: %s\n", console.Line(e.Failed.GetErrorMessage()))
		}
	}
	s.p.Say("Not every step completed. Start them again: betcode orchestrate retry %s", console.ShortID(s.id))
	return exit.Silent(1)
}

func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func joined(ids []string) string { return strings.Join(ids, ", ") }

func stepStatus(s *pb.OrchestrationStepInfo) string {
	return console.Enum(s.GetStatus(), "STEP_STATUS_")
}

func orchestrationState(o *pb.OrchestrationInfo) string {
	state := console.Enum(o.GetState(), "ORCHESTRATION_STATE_")
	if o.GetPaused() && o.GetState() == pb.OrchestrationState_ORCHESTRATION_STATE_RUNNING {
		return "paused"
	}
	return state
}

// progressOf says how many steps have come how far.
func progressOf(o *pb.OrchestrationInfo) string {
	text := fmt.Sprintf("%d of %d completed", o.GetCompletedSteps(), o.GetTotalSteps())
	if n := o.GetRunningSteps(); n > 0 {
		text += fmt.Sprintf(", %d running", n)
	}
	if n := o.GetFailedSteps(); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	return text
}

// costOf is an amount of money; empty for none.
func costOf(usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf("$%.4f", usd)
}

func tokensOf(o *pb.OrchestrationInfo) string {
	if o.GetInputTokens() == 0 && o.GetOutputTokens() == 0 {
		return ""
	}
	return fmt.Sprintf("%d read, %d written", o.GetInputTokens(), o.GetOutputTokens())
}

func nodesOf(o *pb.OrchestrationInfo) []plangraph.Node {
	var nodes []plangraph.Node
	for _, s := range o.GetSteps() {
		nodes = append(nodes, plangraph.Node{
			ID: s.GetId(), Name: s.GetName(), DependsOn: s.GetDependsOn(), Status: stepStatus(s), Attempt: s.GetAttempt(), Note: s.GetErrorMessage(),
		})
	}
	return nodes
}
