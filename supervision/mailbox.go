package supervision

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// mailbox keeps what arrives too early. The library makes the name of an actor
// known before its mailbox can be used: an actor that sends to a name at the moment
// when it is taken (again) would run into a nil pointer, on a goroutine where no
// supervisor sees it, or be heard before Started.
//
// It also drops a restart that comes behind the wish to stop. The library would
// take the two together, if children must end first, for a restart, and the actor
// would live on with nobody left who stops it.
type mailbox struct {
	actor.Mailbox

	open   atomic.Bool
	mu     sync.Mutex
	ending bool // it was told to stop
	system []any
	user   []any
}

// PostUserMessage implements actor.Mailbox.
func (m *mailbox) PostUserMessage(message any) {
	if m.open.Load() || !m.keep(&m.user, message) {
		m.Mailbox.PostUserMessage(message)
	}
}

// PostSystemMessage implements actor.Mailbox. Started is the library's own, and
// the first.
func (m *mailbox) PostSystemMessage(message any) {
	if m.late(message) {
		return
	}
	_, first := message.(*actor.Started)
	if first || m.open.Load() || !m.keep(&m.system, message) {
		m.Mailbox.PostSystemMessage(message)
	}
}

// late reports whether a message is a restart behind a stop.
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

// keep puts a message aside; it reports false if there is no need to any more.
func (m *mailbox) keep(early *[]any, message any) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open.Load() {
		return false
	}
	*early = append(*early, message)
	return true
}

// Start implements actor.Mailbox. The library calls it when the mailbox can be
// used and has Started in it.
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
