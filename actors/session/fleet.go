package session

import "betcode/actors/run"

// fleetStopped ends the agent of a session, because the fleet is stopped. A turn is continued when the fleet is resumed: that end
// does not count as an interruption. An agent that an alarm has frozen stays as it is, for a person to decide.
func (t *transition) fleetStopped() {
	t.s.slot.taken = t.s.slot.state == slotHeld
	if !t.s.active() || t.s.replacing() || t.s.endReason().final() || t.s.frozen() {
		return
	}
	t.notice("FLEET_STOPPED", "The fleet was stopped; 'betcode fleet resume' starts the agent again if it has work", nil)
	if !t.s.agent.up { // processStarted ends it
		t.s.agent.ending = endFleet
		return
	}
	t.replaceAgent(endFleet, run.StopResumable)
}
