package supervision

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// mailbox buffers messages that arrive before Started. The library registers the name of
// an actor before its mailbox is usable. Without the buffer a message sent in between
// dereferences a nil pointer, on a goroutine without a supervisor, or is delivered before
// Started.
//
// It also drops a restart that follows a stop. If the actor has to wait for its children, the
// library would restart it, and nothing would stop it again.
type mailbox struct {
	actor.Mailbox

	open   atomic.Bool
	mu     sync.Mutex
	ending bool // a Stop was posted
	system []any
	user   []any
}

// PostUserMessage implements actor.Mailbox.
func (m *mailbox) PostUserMessage(message any) {
	if m.open.Load() || !m.buffer(&m.user, message) {
		m.Mailbox.PostUserMessage(message)
	}
}

// PostSystemMessage implements actor.Mailbox. The library itself posts Started, as the
// first message; it is never buffered.
func (m *mailbox) PostSystemMessage(message any) {
	if m.late(message) {
		return
	}
	_, first := message.(*actor.Started)
	if first || m.open.Load() || !m.buffer(&m.system, message) {
		m.Mailbox.PostSystemMessage(message)
	}
}

// late reports whether a message is a restart that follows a stop.
func (m *mailbox) late(message any) bool {
	switch message.(type) {
	case *actor.Stop:
		m.mu.Lock()
		defer m.mu.Unlock()
		m.ending = true
	case *actor.Restart:
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.ending
	}
	return false
}

// buffer keeps a message until Start. It reports false if the mailbox has been started.
func (m *mailbox) buffer(early *[]any, message any) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open.Load() {
		return false
	}
	*early = append(*early, message)
	return true
}

// Start implements actor.Mailbox. The library calls it when the mailbox is usable and
// contains Started.
func (m *mailbox) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Mailbox.Start()
	for _, message := range m.system {
		m.Mailbox.PostSystemMessage(message)
	}
	for _, message := range m.user {
		m.Mailbox.PostUserMessage(message)
	}
	m.system, m.user = nil, nil
	m.open.Store(true)
}
