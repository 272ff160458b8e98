package listing

import (
	"sync"

	"betcode/messages"
)

const (
	// maxBytes bounds a cache. It is enough for the summaries of about forty thousand sessions.
	maxBytes = 16 << 20
	// overhead estimates the size of an entry without its summary.
	overhead = 120
)

// Cache keeps encoded summaries. The zero value is empty.
type Cache struct {
	mu    sync.Mutex
	kept  map[messages.SessionID]summary
	bytes int
}

// summary is an encoded pb.SessionSummary of a record in one revision. It is immutable.
type summary struct {
	revision messages.Revision
	encoded  []byte
}

// get returns the summary of a session in a revision; nil if it is not cached.
func (c *Cache) get(id messages.SessionID, r messages.Revision) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.kept[id]; ok && s.revision == r {
		return s.encoded
	}
	return nil
}

// put stores a summary. A full cache is cleared first: the next list fills it again.
func (c *Cache) put(id messages.SessionID, r messages.Revision, encoded []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.kept[id]; ok {
		c.bytes -= len(old.encoded) + overhead
	}
	c.bytes += len(encoded) + overhead
	if c.kept == nil || c.bytes > maxBytes {
		c.kept, c.bytes = map[messages.SessionID]summary{}, len(encoded)+overhead
	}
	c.kept[id] = summary{r, encoded}
}
