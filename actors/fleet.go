package actors

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/pool"
	"betcode/messages"
)

// stopFleet ends all agents and starts none. The pool gets the stop even if it cannot be stored.
func (s *System) stopFleet(m messages.StopFleet) (messages.Reply, error) {
	err := s.fleet.Stop(messages.FleetStop{Since: s.now(), By: m.Client, Reason: m.Reason})
	s.actors.Root.Send(s.pool, pool.Stop{})
	s.audit(fleetEntry(messages.AuditFleetStopped, m.Client, m.Reason))
	s.logOf("pool").Warn().Str("client", string(m.Client)).Str("reason", m.Reason).Msg("fleet stopped")
	if err != nil {
		return nil, (&messages.Error{Op: "stop fleet", Kind: messages.Unavailable, Code: messages.StorageError, Err: err}).
			WithHint("the agents are ended all the same; a daemon that is started again does not know of the stop")
	}
	return s.getFleet(), nil
}

// resumeFleet lets agents start again: it ends a stop of the fleet, and the limits of accounts.
func (s *System) resumeFleet(m messages.ResumeFleet) (messages.Reply, error) {
	limits := s.limits.Present()
	if !s.fleet.Present().Stopped() && len(limits) == 0 {
		return messages.FleetView{Slots: s.slotQueue(), Day: s.day.View(s.now())}, nil
	}
	if err := errors.Join(s.fleet.Resume(), s.limits.Set(nil)); err != nil {
		return nil, (&messages.Error{Op: "resume fleet", Kind: messages.Unavailable, Code: messages.StorageError, Err: err}).
			WithHint("make the state directory writable and try again")
	}
	s.actors.Root.Send(s.pool, pool.Resume{})
	reason := ""
	if len(limits) > 0 {
		reason = fmt.Sprintf("ended %d rate limits", len(limits))
	}
	s.audit(fleetEntry(messages.AuditFleetResumed, m.Client, reason))
	s.logOf("pool").Info().Str("client", string(m.Client)).Int("rate_limits", len(limits)).Msg("fleet resumed")
	view := s.slotQueue()
	view.Limits, view.Waiting = nil, slices.Clone(view.Waiting)
	for i := range view.Waiting { // the pool has not yet reported why they wait now
		view.Waiting[i].Reason, view.Waiting[i].Until = messages.SlotSoon, time.Time{}
	}
	return messages.FleetView{Slots: view, Day: s.day.View(s.now())}, nil
}

// getFleet returns the present state.
func (s *System) getFleet() messages.FleetView {
	return messages.FleetView{Stop: s.fleet.Present(), Slots: s.slotQueue(), Day: s.day.View(s.now())}
}

// slotQueue returns the pool's last report.
func (s *System) slotQueue() messages.SlotQueue {
	if slots := s.slots.Load(); slots != nil {
		return *slots
	}
	return messages.SlotQueue{}
}

// keepLimits stores the limits of accounts.
func (s *System) keepLimits(limits []messages.FleetLimit) {
	s.limits.Hold(limits)
	s.background.Do(func() any { return act.Failure(s.limits.Save()) })
}

func fleetEntry(kind messages.AuditType, client messages.ClientID, reason string) messages.AuditEntry {
	e := messages.AuditEntry{Type: kind, ActorType: messages.ActorUser, ActorID: string(client), Outcome: messages.OutcomeSuccess}
	if reason != "" {
		e.Context = map[string]string{"reason": reason}
	}
	return e
}
