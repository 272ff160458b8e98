package events

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/session/lock"
	"betcode/messages"
)

// shownClients bounds how many clients an event names.
const shownClients = 1000

// Lock is the state of the input lock.
func Lock(v lock.View) *pb.AgentEvent {
	change := &pb.LockChange{
		Holder: string(v.Holder), PreviousHolder: string(v.Previous), RequestedBy: string(v.RequestedBy), AnswerBy: lockTime(v.AnswerBy),
		OfferedTo: string(v.OfferedTo), OfferedUntil: lockTime(v.OfferedTill),
	}
	for _, client := range v.Waiting {
		change.Waiting = append(change.Waiting, string(client))
	}
	return &pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: change}}
}

func lockTime(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}

// Attached announces that a client has attached; total is how many there are now.
func Attached(c messages.ClientPresence, total uint32) *pb.AgentEvent {
	return presence(&pb.PresenceChange{Attached: clients([]messages.ClientPresence{c}), Total: total})
}

// Detached announces that a client has no stream any more; total is how many are left.
func Detached(c messages.ClientID, total uint32) *pb.AgentEvent {
	return presence(&pb.PresenceChange{Detached: []string{string(c)}, Total: total})
}

// Everyone lists all attached clients, at most shownClients by name.
func Everyone(all []messages.ClientPresence) *pb.AgentEvent {
	return presence(&pb.PresenceChange{Attached: clients(all[:min(len(all), shownClients)]), Complete: true, Total: uint32(len(all))})
}

func presence(p *pb.PresenceChange) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Presence{Presence: p}}
}

func clients(list []messages.ClientPresence) []*pb.AttachedClient {
	out := make([]*pb.AttachedClient, 0, len(list))
	for _, c := range list {
		out = append(out, &pb.AttachedClient{ClientId: string(c.Client), Type: c.Type, Observer: c.Observer, Since: timestamppb.New(c.Since)})
	}
	return out
}
