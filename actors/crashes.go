package actors

import (
	"strings"
	"sync"

	"betcode/messages"
)

// crashes tells those who wait for an answer of a session that its actor has
// crashed: the request, or its answer, may be lost. Requests can be repeated
// (inputs and answers by their keys, the others by their meaning), and a
// mailbox survives the crash, so they are sent again at once.
type crashes struct {
	mu      sync.Mutex
	waiting map[messages.SessionID]map[chan struct{}]bool
}

// watch returns a channel that is told about crashes of a session's actor until
// stop is called.
func (c *crashes) watch(id messages.SessionID) (crashed <-chan struct{}, stop func()) {
	told := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[messages.SessionID]map[chan struct{}]bool{}
	}
	if c.waiting[id] == nil {
		c.waiting[id] = map[chan struct{}]bool{}
	}
	c.waiting[id][told] = true
	return told, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting[id], told)
		if len(c.waiting[id]) == 0 {
			delete(c.waiting, id)
		}
	}
}

// crashed signals all requests that wait for the session whose actor has an address,
// or everybody if it is the actor above all sessions: they stop with it.
func (c *crashes) crashed(address string) {
	_, id, found := strings.Cut(address, "/session/")
	all := strings.HasSuffix(address, "/sessions")
	if !all && (!found || strings.Contains(id, "/")) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for session, waiting := range c.waiting {
		if !all && session != messages.SessionID(id) {
			continue
		}
		for told := range waiting {
			select {
			case told <- struct{}{}:
			default:
			}
		}
	}
}
