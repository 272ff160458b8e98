package wire

import (
	"sync"
)

// Reservation is the memory of a call's last request. It is released when the next request is read,
// and when the call answers or ends. The zero value reserves nothing.
type Reservation struct {
	mu     sync.Mutex
	from   *memory
	caller string
	bytes  int64
	ended  bool
}

// set records reserved bytes; it releases them at once if the call has ended.
func (v *Reservation) set(m *memory, caller string, bytes int64) {
	v.mu.Lock()
	v.from, v.caller, v.bytes = m, caller, bytes
	ended := v.ended
	v.mu.Unlock()
	if ended {
		v.Release()
	}
}

// shrink reduces the reservation to bytes.
func (v *Reservation) shrink(bytes int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.from != nil && v.bytes > bytes {
		v.from.give(v.caller, v.bytes-bytes)
		v.bytes = bytes
	}
}

// Release releases the memory.
func (v *Reservation) Release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.from != nil {
		v.from.give(v.caller, v.bytes)
		v.from = nil
	}
}

// End releases the memory, now and after any later read.
func (v *Reservation) End() {
	v.mu.Lock()
	v.ended = true
	v.mu.Unlock()
	v.Release()
}
