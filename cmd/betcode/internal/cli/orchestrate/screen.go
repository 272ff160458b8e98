package orchestrate

import (
	"fmt"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/plangraph"
	pb "betcode/proto/betcode/v1"
)

// screen is the picture of an orchestration.
type screen struct {
	p     group
	id    string
	nodes []plangraph.Node
	place map[string]int
	live  bool // the picture is redrawn
	drawn int  // lines of the last picture
	dirty bool
	last  *pb.OrchestrationEvent
	steps map[string]string // step by subagent
	used  bool              // no step starts, because the budget of the plan is used
	asked map[string]bool   // requests of steps that wait for a person, by session and request
}

func newScreen(p group, o *pb.OrchestrationInfo) *screen {
	s := &screen{p: p, id: o.GetId(), live: p.Terminal.Out, place: map[string]int{}, steps: map[string]string{}, dirty: true}
	for i, step := range o.GetSteps() {
		s.nodes = append(s.nodes, plangraph.Node{ID: step.GetId(), Name: step.GetName(), DependsOn: step.GetDependsOn(), Merge: step.GetMergeInto(), Status: "pending"})
		s.place[step.GetId()] = i
	}
	return s
}

// apply takes an event into the picture; without one it prints a line.
func (s *screen) apply(e *pb.OrchestrationEvent) {
	s.dirty = true
	line := s.take(e)
	s.last = e
	if !s.live {
		fmt.Fprintln(s.p.Stdout, console.Shorten(console.Line(line), 300))
	}
}

// take applies an event to the picture and returns a description of it, on one line.
func (s *screen) take(e *pb.OrchestrationEvent) (line string) {
	switch e := e.GetEvent().(type) {
	case *pb.OrchestrationEvent_StepStarted:
		n := s.node(e.StepStarted.GetStepId())
		n.Status, n.Attempt, n.Note = "running", e.StepStarted.GetAttempt(), ""
		line = n.ID + " started"
		if id := e.StepStarted.GetSubagentId(); id != "" {
			line += " as " + id
			s.steps[id] = n.ID
		}
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
	return line
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
	case "budget_used", "budget_refused":
		s.used = true
	case "budget_raised", "resumed", "retried", "stopping":
		s.used = false
	}
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
	case "budget_used":
		return "the budget of the plan is used; no step starts until a person answers: betcode permission list"
	case "budget_refused":
		return "the budget of the plan is not raised; let it go on: betcode orchestrate resume " + console.ShortID(s.id)
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

// restsAtBudget reports whether nothing happens any more before a person answers about the budget of the plan.
func (s *screen) restsAtBudget() bool {
	return s.used && !slices.ContainsFunc(s.nodes, func(n plangraph.Node) bool { return n.Status == "running" || n.Status == "cancelling" })
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
