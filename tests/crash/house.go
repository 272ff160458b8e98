package main

import (
	"context"
	"sync"

	"betcode/tests/kit"
)

// house holds the daemon that serves now. Clients wait here for the next.
type house struct {
	mu      sync.Mutex
	daemon  *kit.Daemon
	doomed  *kit.Daemon // is being ended: its streams may end
	changed chan struct{}
}

func newHouse() *house { return &house{changed: make(chan struct{})} }

// set sets the daemon that serves; nil for none.
func (h *house) set(d *kit.Daemon) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.daemon = d
	close(h.changed)
	h.changed = make(chan struct{})
}

// doom marks a daemon that is about to be ended.
func (h *house) doom(d *kit.Daemon) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.doomed = d
}

// keeps reports whether a daemon serves and is not being ended.
func (h *house) keeps(d *kit.Daemon) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.daemon == d && h.doomed != d && !d.Ended()
}

// now returns the daemon that serves.
func (h *house) now() *kit.Daemon {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.daemon
}

// wait returns the daemon that serves as soon as there is one, nil when ctx ends.
func (h *house) wait(ctx context.Context) *kit.Daemon {
	for {
		h.mu.Lock()
		d, changed := h.daemon, h.changed
		h.mu.Unlock()
		if d != nil {
			return d
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
