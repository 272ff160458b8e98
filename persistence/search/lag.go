package search

import "betcode/messages"

// Behind returns how many events of some sessions the index lacks, and how many of the sessions cannot be read. nil is all
// sessions.
func (x *Index) Behind(of map[messages.SessionID]bool) (events uint64, damagedSessions int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, o := range x.options.Journal.Outlines() {
		if of != nil && !of[o.ID] {
			continue
		}
		if o.Damaged {
			damagedSessions++
			continue
		}
		if m := max(x.marks[o.ID].head, o.LowWater); o.Head > m {
			events += uint64(o.Head - m)
		}
	}
	return events, damagedSessions
}

// Lagging returns the sessions with events that the index lacks.
func (x *Index) Lagging() []messages.SessionID {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var all []messages.SessionID
	for _, o := range x.options.Journal.Outlines() {
		if !o.Damaged && o.Head > max(x.marks[o.ID].head, o.LowWater) {
			all = append(all, o.ID)
		}
	}
	return all
}
