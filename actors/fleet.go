package actors

import (
	"betcode/actors/pool"
	"betcode/messages"
)

// stopFleet has every agent end and none start. The pool hears of it even if it cannot be stored.
func (s *System) stopFleet(m messages.StopFleet) (messages.Reply, error) {
	err := s.fleet.Stop(messages.FleetStop{Since: s.now(), By: m.Client, Reason: m.Reason})
	s.actors.Root.Send(s.pool, pool.Stop{})
	s.audit(fleetEntry(messages.AuditFleetStopped, m.Client, m.Reason))
	s.logOf("pool").Warn().Str("client", string(m.Client)).Str("reason", m.Reason).Msg("fleet stopped")
	if err != nil {
		return nil, (&messages.Error{Op: "stop fleet", Kind: messages.Unavailable, Code: messages.StorageError, Err: err}).
			WithHint("the agents are ended all the same; a daemon that is started again does not know of the stop")
	}
	return messages.FleetView{Stop: s.fleet.Present()}, nil
}

// resumeFleet lets agents start again.
func (s *System) resumeFleet(m messages.ResumeFleet) (messages.Reply, error) {
	if !s.fleet.Present().Stopped() {
		return messages.FleetView{}, nil
	}
	if err := s.fleet.Resume(); err != nil {
		return nil, (&messages.Error{Op: "resume fleet", Kind: messages.Unavailable, Code: messages.StorageError, Err: err}).
			WithHint("make the state directory writable and try again")
	}
	s.actors.Root.Send(s.pool, pool.Resume{})
	s.audit(fleetEntry(messages.AuditFleetResumed, m.Client, ""))
	s.logOf("pool").Info().Str("client", string(m.Client)).Msg("fleet resumed")
	return messages.FleetView{}, nil
}

func fleetEntry(kind messages.AuditType, client messages.ClientID, reason string) messages.AuditEntry {
	e := messages.AuditEntry{Type: kind, ActorType: messages.ActorUser, ActorID: string(client), Outcome: messages.OutcomeSuccess}
	if reason != "" {
		e.Context = map[string]string{"reason": reason}
	}
	return e
}
