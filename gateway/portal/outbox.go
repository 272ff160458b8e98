package portal

import "sync/atomic"

// The bounds of an outbox. The last item may exceed them.
const (
	outboxItems = 1024
	outboxBytes = 4 << 20
)

// outbox buffers the items of a feed for one page. The feed puts and closes, the page takes;
// neither waits for the other.
type outbox struct {
	feed  *feed
	items chan *item
	size  atomic.Int64 // of the items, in bytes

	// Set when the outbox is closed: the position from which the page reads by itself; nil if the feed has ended.
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

// took records that the page has taken an item.
func (o *outbox) took(i *item) { o.size.Add(-int64(i.size)) }

// lag closes the outbox. Its page continues from a position by itself.
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
