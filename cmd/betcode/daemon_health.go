package main

import (
	"slices"
	"sync"
	"time"

	"betcode/messages"
)

// components are how those parts of the daemon are that are no actors, for the health
// report. Whoever keeps one says so when it changes.
type components struct {
	mu  sync.Mutex
	all []messages.ComponentHealth // in the order in which they were told first
}

func (c *components) tell(h messages.ComponentHealth) {
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
