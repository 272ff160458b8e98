package proxytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Frame is one message.
type Frame = map[string]any

// Line is a stored output.
type Line struct {
	Seq     uint64
	Content json.RawMessage
}

// Input is a prompt that no proxy has acknowledged.
type Input struct {
	Seq   int64
	Frame Frame
}

// Session is a session as in the tables of the reference.
type Session struct {
	ID, Name, Directory, Branch string

	Lines    []Line
	Loose    []json.RawMessage // without a number
	Request  Frame             // the newest request; nil if none is pending
	Requests []Frame           // all requests in order
	Pending  []Input
	Acked    int64           // of inputs
	Progress []string        // stages of inputs: "<client_msg_id> <stage>"
	Uploads  map[string]bool // results, by upload

	Registered int // number of registrations
	Heartbeats int

	counted int64
	offline []Frame
	peer    *Peer
}

// Database is the stored state of a backend.
type Database struct {
	Generation int
	// Token is the accepted token; empty accepts all.
	Token string
	// Refuse is the text of refused registrations; empty refuses none.
	Refuse string
	// Retryable is set if a refused proxy of the third generation may retry.
	Retryable bool
	// Silent backends store without acknowledging.
	Silent bool

	mu         sync.Mutex
	sessions   map[string]*Session
	last       map[string]uint64 // acknowledged, in memory
	complaints []string
	changed    chan struct{} // closed and replaced at each change
}

// NewDatabase returns an empty database of a generation, 1 to 3.
func NewDatabase(generation int) *Database {
	return &Database{Generation: generation, sessions: map[string]*Session{}, last: map[string]uint64{}, changed: make(chan struct{})}
}

// Complaints lists the frames that a strict reader of the generation would have refused.
func (d *Database) Complaints() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.complaints)
}

func (d *Database) complain(format string, args ...any) {
	d.complaints = append(d.complaints, fmt.Sprintf(format, args...))
}

// Forget clears the state in memory, as a restart does: acknowledged numbers, and frames for proxies that are away.
func (d *Database) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = map[string]uint64{}
	for _, s := range d.sessions {
		s.offline, s.peer = nil, nil
	}
}

// Session returns a copy of a session.
func (d *Database) Session(id string) (Session, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.sessions[id]
	if !ok {
		return Session{}, false
	}
	c := *s
	c.Lines, c.Loose, c.Requests, c.Pending = slices.Clone(s.Lines), slices.Clone(s.Loose), slices.Clone(s.Requests), slices.Clone(s.Pending)
	c.Progress, c.Uploads = slices.Clone(s.Progress), maps.Clone(s.Uploads)
	return c, true
}

// Changed returns a channel that is closed at the next change.
func (d *Database) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

func (d *Database) change() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// Say stores and sends a prompt of a page. mode and message may be empty.
func (d *Database) Say(session, text, mode, message string) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	s.counted++
	f := Frame{"type": "SequencedInput", "session_id": session, "seq": s.counted, "content": text}
	if mode != "" && d.Generation > 1 {
		f["send_mode"] = mode
	}
	if message != "" && d.Generation > 2 {
		f["client_msg_id"] = message
	}
	s.Pending = append(s.Pending, Input{s.counted, f})
	d.deliver(s, f)
	return s.counted
}

// Answer sends the answer of a page to the request of a session, and deletes the request, even if
// the answer names another one.
func (d *Database) Answer(session string, answer Frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	s.Request = nil
	f := Frame{"type": "PermissionResponse"}
	maps.Copy(f, answer)
	d.deliver(s, f)
}

// Send sends any frame to the proxy of a session.
func (d *Database) Send(session string, f Frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deliver(d.session(session), f)
}

func (d *Database) session(id string) *Session {
	s, ok := d.sessions[id]
	if !ok {
		s = &Session{ID: id, Uploads: map[string]bool{}}
		d.sessions[id] = s
	}
	return s
}

// maxOffline is the number of frames that the reference queues for a proxy that is away.
const maxOffline = 100

// deliver sends a frame, or queues it for a proxy that is away.
func (d *Database) deliver(s *Session, f Frame) {
	if s.peer != nil {
		s.peer.push(f)
		return
	}
	if s.offline = append(s.offline, f); len(s.offline) > maxOffline {
		s.offline = s.offline[1:]
	}
}
