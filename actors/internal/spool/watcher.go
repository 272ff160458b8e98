package spool

import (
	"os"
	"sync"
	"time"

	"betcode/messages"
)

// Watcher reports changes of files. It is safe for concurrent use.
type Watcher struct {
	mu      sync.Mutex
	watches map[*Watch]struct{}
	polled  map[*Watch]os.FileInfo // polled files, as they last were
	polling bool                   // a goroutine polls them
	closed  bool
	notices *notices // nil where there are none

	quit  chan struct{}
	ended sync.WaitGroup
}

// Watch is one watched file.
type Watch struct {
	w      *Watcher
	path   string
	notify func()
}

// pollInterval is the time between two polls of a file without notices.
const pollInterval = 50 * time.Millisecond

// NewWatcher starts a watcher. It does not fail: if the system gives no
// notices, or has no room for another instance, files are polled.
func NewWatcher() *Watcher { return newWatcher(newNotices()) }

// NewPollingWatcher returns a watcher that uses no notices of the operating system.
func NewPollingWatcher() *Watcher { return newWatcher(nil) }

func newWatcher(n *notices) *Watcher {
	w := &Watcher{
		watches: map[*Watch]struct{}{}, polled: map[*Watch]os.FileInfo{},
		notices: n, quit: make(chan struct{}),
	}
	if n != nil {
		w.ended.Go(w.listen)
	}
	return w
}

// Add watches the file at path, which must exist. It calls notify once before it
// returns, and from then on, in a goroutine of the watcher, whenever the file may
// have changed.
func (w *Watcher) Add(path string, notify func()) (*Watch, error) {
	const op = "watch spool"
	info, err := os.Stat(path)
	if err != nil {
		return nil, &messages.Error{Op: op, Kind: messages.NotFound, Err: err}
	}
	watch := &Watch{w, path, notify}
	if !w.add(watch, info) {
		return nil, messages.Errorf(op, messages.WrongState, "the watcher is closed")
	}
	notify()
	return watch, nil
}

func (w *Watcher) add(watch *Watch, info os.FileInfo) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.watches[watch] = struct{}{}
	if w.notices == nil || !w.notices.add(watch) {
		w.polled[watch] = info
		if !w.polling {
			w.polling = true
			w.ended.Go(w.poll)
		}
	}
	return true
}

// Remove ends the watch. One notice may still be under way.
func (h *Watch) Remove() {
	w := h.w
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watches, h)
	delete(w.polled, h)
	if w.notices != nil && !w.closed {
		w.notices.remove(h)
	}
}

// Polling returns how many files are polled every 50 ms, because they have no notices.
func (w *Watcher) Polling() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.polled)
}

// Close ends all watches and waits until no notice is running. It must
// not be called from a notice.
func (w *Watcher) Close() error {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	w.mu.Unlock()
	if first {
		close(w.quit)
		if w.notices != nil {
			w.notices.close()
		}
	}
	w.ended.Wait()
	return nil
}

// poll polls the files without notices, as long as there are any.
func (w *Watcher) poll() {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-tick.C:
		}
		changed, more := w.look()
		if !more {
			return
		}
		for _, watch := range changed {
			watch.notify()
		}
	}
}

func (w *Watcher) look() (changed []*Watch, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for watch, before := range w.polled {
		now, err := os.Stat(watch.path)
		switch {
		case err != nil: // removed: notified once
			if before != nil {
				changed = append(changed, watch)
			}
			w.polled[watch] = nil
		case before == nil || now.Size() != before.Size() || !os.SameFile(now, before):
			changed = append(changed, watch)
			w.polled[watch] = now
		}
	}
	w.polling = len(w.polled) > 0
	return changed, w.polling
}
