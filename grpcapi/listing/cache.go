package listing

import (
	"sync"

	"betcode/messages"
)

const (
	// maxBytes bounds what a cache keeps: the summaries of some forty thousand sessions.
	maxBytes = 16 << 20
	// overhead is about what an entry needs beside its summary.
	overhead = 120
)

// Cache keeps encoded summaries. The zero value is empty.
type Cache struct {
	mu    sync.Mutex
	kept  map[messages.SessionID]summary
	bytes int
}

// summary is an encoded pb.SessionSummary of a record in one revision. It is never changed.
type summary struct {
	revision messages.Revision
	encoded  []byte
}

// get returns the summary of a session in a revision; nil if it is not kept.
func (c *Cache) get(id messages.SessionID, r messages.Revision) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.kept[id]; ok && s.revision == r {
		return s.encoded
	}
	return nil
}

// put keeps a summary. A cache that is full begins again: those that are listed come back with the next list.
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
