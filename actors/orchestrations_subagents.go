package actors

import (
	"context"
	"sync"

	"betcode/actors/orchestration"
	"betcode/messages"
)

func (s *System) cancelStep(ctx context.Context, id messages.SessionID, reason string) error {
	_, err := s.Ask(ctx, messages.CancelSubagent{Subagent: id, Reason: reason})
	return err
}

// awaitSubagent waits until a subagent has ended.
func (s *System) awaitSubagent(ctx context.Context, id messages.SessionID) (orchestration.Outcome, error) {
	for {
		ended, forget := s.endings.watch(id)
		view, err := s.sessionView(ctx, messages.GetSession{Session: id})
		if err == nil && view.Record.Subagent == nil {
			err = messages.Errorf("wait for subagent", messages.NotFound, "session %s is no subagent", id)
		}
		if err != nil || view.Record.Subagent.Status.Final() {
			forget()
			return outcomeOf(view.Record), err
		}
		select {
		case <-ended:
			forget()
		case <-ctx.Done():
			forget()
			return orchestration.Outcome{}, ctx.Err()
		}
	}
}

// outcomeOf returns the outcome of a subagent that has ended.
func outcomeOf(r messages.SessionRecord) orchestration.Outcome {
	if r.Subagent == nil {
		return orchestration.Outcome{}
	}
	out := orchestration.Outcome{
		Status: messages.StepFailed, Error: r.Subagent.Result,
		Usage: messages.OrchestrationUsage{CostUSD: r.Usage.CostUSD, InputTokens: r.Usage.InputTokens, OutputTokens: r.Usage.OutputTokens, Spent: r.Budget.Spent},
	}
	switch r.Subagent.Status {
	case messages.SubagentCompleted:
		out.Status, out.Summary, out.Error = messages.StepCompleted, r.Subagent.Result, ""
	case messages.SubagentCancelled:
		out.Status = messages.StepCancelled
	case messages.SubagentAny, messages.SubagentPending, messages.SubagentRunning, messages.SubagentFailed:
	}
	return out
}

// endings wakes goroutines that wait for the ends of subagents.
type endings struct {
	mu      sync.Mutex
	waiting map[messages.SessionID][]chan struct{}
}

// watch returns a channel that is closed when a subagent ends. forget ends the watch.
func (e *endings) watch(id messages.SessionID) (ended <-chan struct{}, forget func()) {
	woken := make(chan struct{})
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting == nil {
		e.waiting = map[messages.SessionID][]chan struct{}{}
	}
	e.waiting[id] = append(e.waiting[id], woken)
	return woken, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		var others []chan struct{}
		for _, c := range e.waiting[id] {
			if c != woken {
				others = append(others, c)
			}
		}
		if e.waiting[id] = others; len(others) == 0 {
			delete(e.waiting, id)
		}
	}
}

// ended is called when the end of a subagent is durable.
func (e *endings) ended(id messages.SessionID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.waiting[id] {
		close(c)
	}
	delete(e.waiting, id)
}
