package portal

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Bounds of refusals in the log: at most maxRefusals lines in a period, then one line with the number of the others.
const (
	maxRefusals   = 60 // of pages and proxies together
	refusalPeriod = time.Minute
)

// overflow counts the refusals beyond maxRefusals, and logs their number at the end of a period. It implements
// [zerolog.Sampler] after a burst sampler, and is safe for concurrent use.
type overflow struct {
	log zerolog.Logger

	mu     sync.Mutex
	count  int
	timer  *time.Timer
	closed bool
}

// Sample implements [zerolog.Sampler]. It counts and drops the line.
func (o *overflow) Sample(zerolog.Level) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count++; o.count == 1 && !o.closed {
		o.timer = time.AfterFunc(refusalPeriod, o.report)
	}
	return false
}

// report logs and resets the number.
func (o *overflow) report() {
	o.mu.Lock()
	count := o.count
	o.count = 0
	o.mu.Unlock()
	if count > 0 {
		o.log.Info().Int("refusals", count).Stringer("within", refusalPeriod).Msg("more refusals")
	}
}

// close logs the number and stops the timer.
func (o *overflow) close() {
	o.mu.Lock()
	o.closed = true
	if o.timer != nil {
		o.timer.Stop()
	}
	o.mu.Unlock()
	o.report()
}
