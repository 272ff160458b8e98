package portal

import (
	"sync"

	pb "betcode/proto/betcode/v1"
)

// feed is a session that pages of one account follow: one stream of the daemon, one translation, and
// an outbox for each page. It begins at the position of its first page, and ends with its last one.
type feed struct {
	follower Conversation

	mu    sync.Mutex // of the following
	here  position
	pages map[*outbox]bool
	ended bool
	err   error // why the stream ended
}

// run publishes events until the stream ends or no page is left.
func (f *feed) run() {
	for e := range f.follower.Events() {
		f.publish(e)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended, f.err = true, f.follower.Err()
	for o := range f.pages {
		close(o.items)
	}
	clear(f.pages)
}

// publish adds an event to the outboxes of all pages. A page whose outbox is full is removed from
// the feed; it continues from the previous event by itself.
func (f *feed) publish(e *pb.AgentEvent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for o := range f.pages {
		if o.full() {
			o.lag(f.here.clone())
			f.drop(o)
		}
	}
	i := f.here.next(e)
	if !i.matters() {
		return
	}
	for o := range f.pages {
		o.put(i)
	}
}

// reason returns why the stream ended.
func (f *feed) reason() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// drop removes a page; with the last one the stream ends. The caller has locked the feed.
func (f *feed) drop(o *outbox) {
	delete(f.pages, o)
	if len(f.pages) == 0 && !f.ended {
		f.ended = true
		f.follower.Close()
	}
}

// leave removes a page from its feed.
func (o *outbox) leave() {
	o.feed.mu.Lock()
	defer o.feed.mu.Unlock()
	if o.feed.pages[o] {
		o.feed.drop(o)
	}
}
