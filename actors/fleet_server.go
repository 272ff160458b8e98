package actors

import (
	"context"
	"errors"
	"time"

	"betcode/actors/internal/process"
	"betcode/actors/internal/ticket"
	"betcode/actors/session"
	"betcode/messages"
)

func newTickets(runs string) *ticket.Registry {
	return ticket.New(ticket.Deps{Runs: runs, Identity: process.IdentityOf, Lives: process.Lives, Below: process.BelowAgentOf})
}

// fleetTickets is a run.FleetTickets.
type fleetTickets struct{ registry *ticket.Registry }

// Settle implements run.FleetTickets.
func (f fleetTickets) Await(ctx context.Context, run messages.RunRecord, patience time.Duration) error {
	return f.registry.Await(ctx, ticket.Run{Session: run.Session, Number: run.Run}, patience)
}

// Drop implements run.FleetTickets.
func (f fleetTickets) Drop(run messages.RunRecord) {
	f.registry.Drop(ticket.Run{Session: run.Session, Number: run.Run})
}

// FleetServer returns the session whose fleet server is the process pid, by the ticket that it presents. Another process that
// presents the ticket is refused, and raises the alarm of that session. The ticket is bound before FleetServer returns.
func (s *System) FleetServer(text string, pid int) (messages.SessionID, error) {
	const op = "admit fleet server"
	run, err := s.tickets.Admit(text, pid)
	if err == nil {
		return run.Session, nil
	}
	var refused *ticket.RefusedError
	if !errors.As(err, &refused) {
		return "", (&messages.Error{Op: op, Kind: messages.Denied, Err: err}).
			WithHint("the daemon cannot tell which process calls; its log has the reason")
	}
	if refused.Alarm {
		s.actors.Root.Send(s.sessions, addressed{run.Session, session.FleetIntruder{Run: run.Number, PID: pid, Why: refused.Why}})
	}
	e := messages.Errorf(op, messages.Denied, "%s", refused.Why).
		WithHint("the agent gets a new fleet server when its session is restarted: betcode session restart SESSION")
	if run.Session != "" {
		e = e.With("session_id", string(run.Session))
	}
	return "", e
}
