package kit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// received has what has come on a stream.
type received[E any] struct {
	mu     sync.Mutex
	events []E
	err    error
	closed bool
	news   chan struct{} // closed and replaced when an item arrives; nil while no reader waits
}

// collect adds what next returns until it fails.
func (r *received[E]) collect(next func() (E, error)) {
	for {
		e, err := next()
		r.add(e, err)
		if err != nil {
			return
		}
	}
}

func (r *received[E]) add(e E, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.events = append(r.events, e)
	} else {
		r.closed = true
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
	}
	if r.news != nil {
		close(r.news)
		r.news = nil
	}
}

// Events returns the events received so far.
func (r *received[E]) Events() []E {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[:len(r.events):len(r.events)]
}

// Err returns the error that ended the stream; nil after a clean end, or before the end.
func (r *received[E]) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Ended reports whether the stream has ended.
func (r *received[E]) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// look returns the events, whether they are all, and a channel that is closed when there is more.
func (r *received[E]) look() (events []E, closed bool, news <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.news == nil {
		r.news = make(chan struct{})
	}
	return r.events, r.closed, r.news
}

// wait returns the first matching event from index from on, and the index behind it.
func (r *received[E]) wait(from int, wanted func(E) bool, describe func([]E) string) (found E, next int, err error) {
	deadline := time.After(patience)
	for {
		events, closed, news := r.look()
		for i := from; i < len(events); i++ {
			if wanted(events[i]) {
				return events[i], i + 1, nil
			}
		}
		if closed {
			return found, 0, fmt.Errorf("the stream ended before the event came: %w; got:\n%s", cmp.Or(r.Err(), io.EOF), describe(events))
		}
		select {
		case <-news:
		case <-deadline:
			return found, 0, fmt.Errorf("the event did not come within %s; got:\n%s", patience, describe(events))
		}
	}
}

// waitEnd waits for the end of the stream and returns its error.
func (r *received[E]) waitEnd(describe func([]E) string) error {
	deadline := time.After(patience)
	for {
		events, closed, news := r.look()
		if closed {
			return r.Err()
		}
		select {
		case <-news:
		case <-deadline:
			return fmt.Errorf("the stream did not end within %s; got:\n%s", patience, describe(events))
		}
	}
}
