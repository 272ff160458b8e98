package persistence

import (
	"context"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

// throttleBytes is how many bytes pass between two waits.
const throttleBytes = 1 << 20

// throttle limits the rate of background I/O, so that it does not delay callers.
type throttle struct {
	ctx    context.Context
	rate   int64 // bytes a second; not positive: no limit
	passed int64 // since the last wait
}

// pass waits for the time that n more bytes should take.
func (p *throttle) pass(n int) error {
	if p.passed += int64(n); p.passed < throttleBytes {
		return nil
	}
	passed := p.passed
	p.passed = 0
	if p.rate <= 0 {
		return wait(p.ctx, 0)
	}
	return wait(p.ctx, time.Duration(passed)*time.Second/time.Duration(p.rate))
}

// wait waits, or returns [messages.Canceled] when the context has ended.
func wait(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return messages.Errorf(fault.OpRewrite, messages.Canceled, "%w", err)
	}
	return nil
}
