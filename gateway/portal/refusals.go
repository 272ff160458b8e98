package portal

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Refusals in the log: at most so many lines in a period, and then the number of the others.
const (
	maxRefusals   = 60 // of pages and proxies together
	refusalPeriod = time.Minute
)

// overflow counts the refusals beyond maxRefusals, and logs their number at the end of a period. It implements
// [zerolog.Sampler] behind a burst sampler, and is safe for concurrent use.
type overflow struct {
	log zerolog.Logger

	mu     sync.Mutex
	count  int
	timer  *time.Timer
	closed bool
}

// Sample implements [zerolog.Sampler]: it leaves the line out.
func (o *overflow) Sample(zerolog.Level) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count++; o.count == 1 && !o.closed {
		o.timer = time.AfterFunc(refusalPeriod, o.report)
	}
	return false
}

// report logs the number, and begins anew.
func (o *overflow) report() {
	o.mu.Lock()
	count := o.count
	o.count = 0
	o.mu.Unlock()
	if count > 0 {
		o.log.Info().Int("refusals", count).Stringer("within", refusalPeriod).Msg("more refusals")
	}
}

// close logs what is counted. No timer runs afterwards.
func (o *overflow) close() {
	o.mu.Lock()
	o.closed = true
	if o.timer != nil {
		o.timer.Stop()
	}
	o.mu.Unlock()
	o.report()
}
