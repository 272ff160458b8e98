package grpcapi

import (
	"sync/atomic"

	"betcode/messages"
)

// exclusive lets one call of a kind be served at a time, where one is expensive and any
// viewer may ask for it.
type exclusive struct{ busy atomic.Bool }

// begin reserves the place until end is called; a second caller is told what is under
// way.
func (e *exclusive) begin(op, what string) (end func(), err error) {
	if !e.busy.CompareAndSwap(false, true) {
		return nil, messages.Errorf(op, messages.Exhausted, "%s already, and one at a time is served", what).
			With(messages.RetryAfter, "1000").WithHint("Wait until that has ended.")
	}
	return func() { e.busy.Store(false) }, nil
}

// expensive are the calls of which one is served at a time.
type expensive struct{ verify, rules exclusive }
