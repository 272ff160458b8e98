package listing

import (
	"sync"

	"betcode/messages"
)

const (
	// maxBytes bounds a cache. It is enough for the summaries of about forty thousand sessions.
	maxBytes = 16 << 20
	// overhead estimates the size of an entry without its summary.
	overhead = 160
)

// Cache keeps encoded summaries. The zero value is empty.
type Cache struct {
	mu     sync.Mutex
	kept   map[messages.Revision][]byte // encoded pb.SessionSummary; immutable
	newest map[messages.SessionID]messages.Revision
	bytes  int
}

// get returns the summary of a record in a revision; nil if it is not cached. Revisions are quicker to find than ids.
func (c *Cache) get(r messages.Revision) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[r]
}

// put stores a summary and removes that of an earlier revision. A full cache is cleared first: the next list fills it again.
func (c *Cache) put(id messages.SessionID, r messages.Revision, encoded []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.newest[id]; ok {
		c.bytes -= len(c.kept[old]) + overhead
		delete(c.kept, old)
	}
	c.bytes += len(encoded) + overhead
	if c.kept == nil || c.bytes > maxBytes {
		c.kept, c.newest, c.bytes = map[messages.Revision][]byte{}, map[messages.SessionID]messages.Revision{}, len(encoded)+overhead
	}
	c.kept[r], c.newest[id] = encoded, r
}
