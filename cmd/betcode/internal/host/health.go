package host

import (
	"slices"
	"sync"
	"time"

	"betcode/messages"
)

// components holds the health of those parts of the daemon that are no actors. Each part reports its changes.
type components struct {
	mu  sync.Mutex
	all []messages.ComponentHealth // in the order of their first reports
}

func (c *components) report(h messages.ComponentHealth) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.Checked = time.Now()
	if i := slices.IndexFunc(c.all, func(known messages.ComponentHealth) bool { return known.Name == h.Name }); i >= 0 {
		c.all[i] = h
		return
	}
	c.all = append(c.all, h)
}

func (c *components) list() []messages.ComponentHealth {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}
