package session

// What a session wants of its agent follows from its state, not from the event that came:
//
//	up                      it is given the messages that it does not have
//	wanted and not there    it gets a slot and is started
//	not wanted, not there   the session is idle, and its actor may go
//
// reconcile compares the two at the end of every step. Handlers only change the state.

// reconcile starts an agent if one is wanted and none is there, and gives the running one the
// messages that wait for it.
func (t *transition) reconcile() {
	switch s := &t.s; {
	case s.endReason().final():
	case s.agent.up:
		t.deliver()
	case s.slot.taken && s.slot.state == slotHeld: // it is given back first
	case !s.wanted() || s.active() || s.agent.readingTranscript:
	case s.retries.waiting || t.now.full:
	case len(s.slot.admissions) > 0: // they come first, see admit
	case t.wantSlot():
		t.startRun()
	}
}
