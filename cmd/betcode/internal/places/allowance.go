package places

import (
	"io"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Work bounds what newcomers have a server do. Each frame of HTTP/2 costs processor time, and
// a client needs no token for most of them, so the bytes of newcomers are counted: Free of
// each connection, and beyond these Rate a second of all together, Burst of them at once. A
// connection that is over it waits; one that shows a token is bounded no more.
type Work struct {
	Free        int // enough for a handshake and the first call's headers
	Rate, Burst int // zero = no bound
}

// piece is how much a newcomer reads at a time beyond what is free, in bytes.
const piece = 1 << 10

// allowance is what one connection may read.
type allowance struct {
	shared *rate.Limiter // nil = no bound
	free   int           // this and the next are of the goroutine that reads
	next   *rate.Reservation
	known  chan struct{} // closed when the connection has shown a token
	gone   chan struct{} // closed when it is closed
	shown  sync.Once
}

// shared is the limiter of all newcomers, nil if there is no bound.
func (w Work) shared() *rate.Limiter {
	if w.Rate <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(w.Rate), max(w.Burst, piece))
}

// introduced ends the bound.
func (a *allowance) introduced() { a.shown.Do(func() { close(a.known) }) }

// read reads within the bound. It waits, as a slow network would, until the connection may
// read on, has shown a token, or is closed.
func (a *allowance) read(from io.Reader, b []byte) (int, error) {
	select {
	case <-a.known:
		return from.Read(b)
	default:
	}
	if a.shared == nil || len(b) == 0 {
		return from.Read(b)
	}
	if a.free > 0 {
		n, err := from.Read(b[:min(len(b), a.free)])
		a.free -= n
		return n, err
	}
	if !a.wait() {
		return from.Read(b)
	}
	n, err := from.Read(b[:min(len(b), piece)])
	a.next = a.shared.ReserveN(time.Now(), n)
	return n, err
}

// wait waits for the turn that the last read has earned. It reports whether the bound holds
// still.
func (a *allowance) wait() bool {
	if a.next == nil {
		return true
	}
	timer := time.NewTimer(a.next.Delay())
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a.known:
		a.next.Cancel()
		return false
	case <-a.gone: // the read fails
		a.next.Cancel()
		return true
	}
}
