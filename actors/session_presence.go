package actors

import (
	"cmp"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// Who is attached to a session is told to everybody who is: all of it to a client that
// attaches, then what changes. It is known as long as the streams are: nothing of it
// is journaled.

// shownClients is how many clients an event names.
const shownClients = 1000

// stream is one attached client stream.
type stream struct {
	client   messages.ClientID
	kind     string // what the client calls its kind
	observer bool
	approves bool // may answer, and does not merely observe
	since    time.Time
}

// attached reports whether a client has a stream that may write.
func (s *sessionState) attached(client messages.ClientID) bool {
	for _, st := range s.streams {
		if st.client == client && !st.observer {
			return true
		}
	}
	return false
}

// watches reports whether all streams of a client are an observer's. A client
// without any may yet attach.
func (s *sessionState) watches(client messages.ClientID) bool {
	p, there := s.presence(client)
	return there && p.Observer
}

// presence is how a client is attached, if it is.
func (s *sessionState) presence(client messages.ClientID) (messages.ClientPresence, bool) {
	for _, p := range s.presences(func(st stream) bool { return st.client == client }) {
		return p, true
	}
	return messages.ClientPresence{}, false
}

// everybody is who is attached, the longest first.
func (s *sessionState) everybody() []messages.ClientPresence {
	return s.presences(func(stream) bool { return true })
}

// attachedClients is how many clients are attached.
func (s *sessionState) attachedClients() uint32 {
	clients := make(map[messages.ClientID]struct{}, len(s.streams))
	for _, st := range s.streams {
		clients[st.client] = struct{}{}
	}
	return uint32(len(clients))
}

// presences joins the streams of each client.
func (s *sessionState) presences(matches func(stream) bool) []messages.ClientPresence {
	found := map[messages.ClientID]messages.ClientPresence{}
	for _, st := range s.streams {
		if !matches(st) {
			continue
		}
		p, there := found[st.client]
		if !there {
			p = messages.ClientPresence{Client: st.client, Observer: true, Since: st.since}
		}
		p.Type = max(p.Type, st.kind) // whichever: a client says the same of itself on all of its streams
		p.Observer = p.Observer && st.observer
		if st.since.Before(p.Since) {
			p.Since = st.since
		}
		found[st.client] = p
	}
	all := make([]messages.ClientPresence, 0, len(found))
	for _, p := range found {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b messages.ClientPresence) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Client, b.Client))
	})
	return all
}

// noticePresence runs what changes the streams of a client, and tells the others if
// they see a difference.
func (t *transition) noticePresence(client messages.ClientID, change func()) {
	before, was := t.s.presence(client)
	change()
	after, is := t.s.presence(client)
	total := t.s.attachedClients()
	switch {
	case is && (!was || before != after):
		t.tellAll(presenceChange(&pb.PresenceChange{Attached: clientsOut([]messages.ClientPresence{after}), Total: total}))
	case was && !is:
		t.tellAll(presenceChange(&pb.PresenceChange{Detached: []string{string(client)}, Total: total}))
	}
}

// standing are the events that tell a stream how it stands with what no history has:
// the lock, and who is there.
func (t *transition) standing() []messages.Event {
	everybody := t.s.everybody()
	present := presenceChange(&pb.PresenceChange{
		Attached: clientsOut(everybody[:min(len(everybody), shownClients)]), Complete: true, Total: uint32(len(everybody)),
	})
	return []messages.Event{
		seal(lockEvent(t.s.lock.View()), t.s.id, 0, t.now.at),
		seal(present, t.s.id, 0, t.now.at),
	}
}

// caughtUp tells a stream that was too slow what it has missed.
func (t *transition) caughtUp(id string) {
	if _, there := t.s.streams[id]; there {
		t.then(tellStream{id, t.standing(), t.s.settled()})
	}
}

func presenceChange(p *pb.PresenceChange) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Presence{Presence: p}}
}

func clientsOut(clients []messages.ClientPresence) []*pb.AttachedClient {
	out := make([]*pb.AttachedClient, 0, len(clients))
	for _, c := range clients {
		out = append(out, &pb.AttachedClient{ClientId: string(c.Client), Type: c.Type, Observer: c.Observer, Since: timestamppb.New(c.Since)})
	}
	return out
}
