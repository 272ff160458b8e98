package grpcapi

import (
	"sync/atomic"

	"betcode/messages"
)

// exclusive serves one call of a kind at a time: the call is expensive, and every viewer may
// make it.
type exclusive struct{ busy atomic.Bool }

// begin reserves the place until end is called. A second caller gets an error.
func (e *exclusive) begin(op, what string) (end func(), err error) {
	if !e.busy.CompareAndSwap(false, true) {
		return nil, messages.Errorf(op, messages.Exhausted, "%s already; one call at a time is served", what).
			With(messages.RetryAfter, "1000").WithHint("Wait until that has ended.")
	}
	return func() { e.busy.Store(false) }, nil
}
