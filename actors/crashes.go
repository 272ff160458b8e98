package actors

import (
	"strings"
	"sync"

	"betcode/messages"
)

// crashes notifies callers that wait for an answer of a session that its actor has
// crashed: the request, or its answer, may be lost. The callers send their requests
// again at once. Requests can be repeated (inputs and answers by their keys, the
// others because they are idempotent), and the mailbox survives the crash.
type crashes struct {
	mu      sync.Mutex
	waiting map[messages.SessionID]map[chan struct{}]bool
}

// watch returns a channel that is signalled when the session's actor crashes, until
// stop is called.
func (c *crashes) watch(id messages.SessionID) (crashed <-chan struct{}, stop func()) {
	signal := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[messages.SessionID]map[chan struct{}]bool{}
	}
	if c.waiting[id] == nil {
		c.waiting[id] = map[chan struct{}]bool{}
	}
	c.waiting[id][signal] = true
	return signal, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting[id], signal)
		if len(c.waiting[id]) == 0 {
			delete(c.waiting, id)
		}
	}
}

// crashed signals all requests that wait for the session whose actor has an address.
// The actor above all sessions stops them with it, so its crash signals all requests.
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
		for signal := range waiting {
			select {
			case signal <- struct{}{}:
			default:
			}
		}
	}
}
