package grpcapi

import (
	"sync/atomic"

	"betcode/messages"
)

// exclusive admits one call at a time, for expensive calls that every viewer may make.
type exclusive struct{ busy atomic.Bool }

// begin admits the call until end is called. A second caller gets an error.
func (e *exclusive) begin(op, what string) (end func(), err error) {
	if !e.busy.CompareAndSwap(false, true) {
		return nil, messages.Errorf(op, messages.Exhausted, "%s already; one call at a time is served", what).
			With(messages.RetryAfter, "1000").WithHint("Wait until that call has ended.")
	}
	return func() { e.busy.Store(false) }, nil
}
