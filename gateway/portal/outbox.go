package portal

import "sync/atomic"

// The bounds of an outbox. Both are passed by one item at most.
const (
	outboxItems = 1024
	outboxBytes = 4 << 20
)

// outbox has what a feed has for one page and the page has not taken. The feed puts and closes, the
// page takes. No side waits for the other.
type outbox struct {
	feed  *feed
	items chan *item
	size  atomic.Int64 // of the items, in bytes

	// Of a closed outbox: where its page has to go on reading by itself; nil if the feed has ended.
	behind *position
}

func newOutbox(f *feed) *outbox { return &outbox{feed: f, items: make(chan *item, outboxItems)} }

// full reports whether the page is too far behind to get another item.
func (o *outbox) full() bool { return len(o.items) == cap(o.items) || o.size.Load() >= outboxBytes }

// put adds an item to an outbox that is not full.
func (o *outbox) put(i *item) {
	o.size.Add(int64(i.size))
	o.items <- i
}

// took says that the page has an item.
func (o *outbox) took(i *item) { o.size.Add(-int64(i.size)) }

// lag closes the outbox: its page reads on from there by itself.
func (o *outbox) lag(from position) {
	o.behind = &from
	close(o.items)
}

// closed reports whether the feed has closed the outbox, which may still have items.
func (o *outbox) closed() bool {
	o.feed.mu.Lock()
	defer o.feed.mu.Unlock()
	return !o.feed.pages[o]
}
