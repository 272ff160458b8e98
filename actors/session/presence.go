package session

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/encode"
	"betcode/actors/session/presence"
	"betcode/messages"
)

// shownClients bounds how many clients an event names.
const shownClients = 1000

// applyPresence announces to every client what changed about another.
func (t *transition) applyPresence(c *presence.Change) {
	switch {
	case c == nil:
	case c.Attached != nil:
		t.publishUnnumbered(presenceEvent(&pb.PresenceChange{Attached: clientsOut([]messages.ClientPresence{*c.Attached}), Total: c.Total}))
	default:
		t.publishUnnumbered(presenceEvent(&pb.PresenceChange{Detached: []string{string(c.Detached)}, Total: c.Total}))
	}
}

// streamRefused returns why a session takes no further stream of a client, nil if it does.
func (s *state) streamRefused(m messages.Attach) error {
	refusal := s.clients.Admits(m.Client, m.Observer)
	if refusal == nil {
		return nil
	}
	of := "are attached to the session"
	if refusal.OfClient {
		of = "of this client are attached to the session"
	}
	return messages.Errorf("attach", messages.Exhausted, "%d streams %s", refusal.Streams, of).
		With("session_id", string(s.id)).WithHint("close some of them, and attach again")
}

// snapshots are the events with the state that is not in the history: the lock and the attached clients.
func (t *transition) snapshots() []messages.Event {
	everyone := t.s.clients.Everyone()
	present := presenceEvent(&pb.PresenceChange{
		Attached: clientsOut(everyone[:min(len(everyone), shownClients)]), Complete: true, Total: uint32(len(everyone)),
	})
	return []messages.Event{
		encode.Event(lockEvent(t.s.lock.View()), t.s.id, 0, t.now.at),
		encode.Event(present, t.s.id, 0, t.now.at),
	}
}

// caughtUp sends a stream that lagged the snapshots that it may have missed.
func (t *transition) caughtUp(id string) {
	if t.s.clients.Has(id) {
		t.then(sendToStream{stream: id, events: t.snapshots()})
	}
}

func presenceEvent(p *pb.PresenceChange) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Presence{Presence: p}}
}

func clientsOut(clients []messages.ClientPresence) []*pb.AttachedClient {
	out := make([]*pb.AttachedClient, 0, len(clients))
	for _, c := range clients {
		out = append(out, &pb.AttachedClient{ClientId: string(c.Client), Type: c.Type, Observer: c.Observer, Since: timestamppb.New(c.Since)})
	}
	return out
}
