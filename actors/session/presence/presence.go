// Package presence keeps who is attached to a session.
//
// A client may have several streams. It counts as attached while it has one, and as an observer while all of them observe.
// A client that attaches is told everything, the others what changes. Presence lives as long as the streams do; nothing of
// it is journaled.
package presence

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"betcode/messages"
)

const (
	// MaxStreams bounds the streams of one session.
	MaxStreams = 4096
	// WriterStreams are reserved for clients that may get the input lock, so that the owner can attach however many
	// clients observe.
	WriterStreams = 512
	// ClientStreams bounds the streams of one client.
	ClientStreams = 1024
)

// Stream is one attached client stream.
type Stream struct {
	Client   messages.ClientID
	Type     string // what the client says that it is, for example "cli"
	Observer bool   // never writes
	Approves bool   // may answer permission requests and is not an observer by its own wish
	Discards bool   // the session is removed with its last stream if nothing was said in it
	Since    time.Time
}

// Presence is the streams of a session by their ids. The zero value is empty. A copy is independent of the original.
type Presence struct{ streams map[string]Stream }

// Change is what other clients see of an attach or a detach. Nil members did not happen.
type Change struct {
	Attached *messages.ClientPresence // new, or attached in another way than before
	Detached messages.ClientID
	Total    uint32 // clients attached now
}

// Refusal says why a stream is not admitted.
type Refusal struct {
	Streams  int  // counted against the bound
	OfClient bool // the bound is the client's, not the session's
}

// Admits returns why a further stream of a client is refused, nil if it is admitted.
func (p *Presence) Admits(client messages.ClientID, observer bool) *Refusal {
	most := MaxStreams
	if observer {
		most -= WriterStreams
	}
	if len(p.streams) >= most {
		return &Refusal{Streams: len(p.streams)}
	}
	if len(p.streams) < ClientStreams {
		return nil
	}
	if own := p.count(client); own >= ClientStreams {
		return &Refusal{Streams: own, OfClient: true}
	}
	return nil
}

func (p *Presence) count(client messages.ClientID) int {
	n := 0
	for _, s := range p.streams {
		if s.Client == client {
			n++
		}
	}
	return n
}

// Attach adds a stream. It returns nil if other clients see no difference.
func (p *Presence) Attach(id string, s Stream) *Change {
	return p.change(s.Client, func(streams map[string]Stream) { streams[id] = s })
}

// Detach removes a stream and returns it; false if there is none. The change is nil if other clients see no difference.
func (p *Presence) Detach(id string) (Stream, *Change, bool) {
	gone, ok := p.streams[id]
	if !ok {
		return Stream{}, nil, false
	}
	return gone, p.change(gone.Client, func(streams map[string]Stream) { delete(streams, id) }), true
}

func (p *Presence) change(client messages.ClientID, apply func(map[string]Stream)) *Change {
	before, was := p.client(client)
	p.streams = maps.Clone(p.streams)
	if p.streams == nil {
		p.streams = map[string]Stream{}
	}
	apply(p.streams)
	after, is := p.client(client)
	switch {
	case is && (!was || before != after):
		return &Change{Attached: &after, Total: p.Clients()}
	case was && !is:
		return &Change{Detached: client, Total: p.Clients()}
	}
	return nil
}

// Has reports whether there is a stream of that id.
func (p *Presence) Has(id string) bool {
	_, ok := p.streams[id]
	return ok
}

// Streams returns the number of streams.
func (p *Presence) Streams() int { return len(p.streams) }

// IDs returns the ids of all streams, in no order.
func (p *Presence) IDs() []string { return slices.Collect(maps.Keys(p.streams)) }

// Writes reports whether a client has a stream that may write.
func (p *Presence) Writes(client messages.ClientID) bool {
	for _, s := range p.streams {
		if s.Client == client && !s.Observer {
			return true
		}
	}
	return false
}

// Observes reports whether a client is attached and all its streams observe. A client without a stream may yet attach.
func (p *Presence) Observes(client messages.ClientID) bool {
	c, ok := p.client(client)
	return ok && c.Observer
}

// Watched reports whether a client that may answer permission requests is attached.
func (p *Presence) Watched() bool {
	for _, s := range p.streams {
		if s.Approves {
			return true
		}
	}
	return false
}

// Clients returns the number of attached clients.
func (p *Presence) Clients() uint32 {
	clients := make(map[messages.ClientID]struct{}, len(p.streams))
	for _, s := range p.streams {
		clients[s.Client] = struct{}{}
	}
	return uint32(len(clients))
}

// Everyone returns all attached clients, the longest attached first.
func (p *Presence) Everyone() []messages.ClientPresence {
	return p.join(func(Stream) bool { return true })
}

func (p *Presence) client(client messages.ClientID) (messages.ClientPresence, bool) {
	for _, c := range p.join(func(s Stream) bool { return s.Client == client }) {
		return c, true
	}
	return messages.ClientPresence{}, false
}

// join merges the streams of each client.
func (p *Presence) join(matches func(Stream) bool) []messages.ClientPresence {
	found := map[messages.ClientID]messages.ClientPresence{}
	for _, s := range p.streams {
		if !matches(s) {
			continue
		}
		c, ok := found[s.Client]
		if !ok {
			c = messages.ClientPresence{Client: s.Client, Observer: true, Since: s.Since}
		}
		c.Type = max(c.Type, s.Type) // a client says the same of itself on all its streams
		c.Observer = c.Observer && s.Observer
		if s.Since.Before(c.Since) {
			c.Since = s.Since
		}
		found[s.Client] = c
	}
	all := slices.Collect(maps.Values(found))
	slices.SortFunc(all, func(a, b messages.ClientPresence) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Client, b.Client))
	})
	return all
}

// FullError refuses a further stream.
func FullError(id messages.SessionID, r Refusal) *messages.Error {
	of := "are attached to the session"
	if r.OfClient {
		of = "of this client are attached to the session"
	}
	return messages.Errorf("attach", messages.Exhausted, "%d streams %s", r.Streams, of).
		With("session_id", string(id)).WithHint("close some of them, and attach again")
}
