package places

import (
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Work limits the bytes that newcomers may send. Each frame of HTTP/2 costs processor time,
// and most frames need no token. Each newcomer may send Free bytes; beyond these, all
// newcomers together may send Rate bytes a second, with bursts of Burst bytes. A connection
// above its limit waits. A connection with a valid token has no limit.
type Work struct {
	Free        int // bytes; enough for a handshake and the headers of the first call
	Rate, Burst int // bytes a second, bytes; 0 = no limit
}

// piece bounds one read of a newcomer beyond its free bytes, in bytes.
const piece = 1 << 10

// allowance limits the reads of one connection.
type allowance struct {
	shared *rate.Limiter // nil = no limit
	free   int           // free and next belong to the reading goroutine
	next   *rate.Reservation
	known  chan struct{} // closed when the connection has shown a valid token
	gone   chan struct{} // closed with the connection
	shown  sync.Once
	over   sync.Once
}

// shared returns the limiter of all newcomers; nil if there is no limit.
func (w Work) shared() *rate.Limiter {
	if w.Rate <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(w.Rate), max(w.Burst, piece))
}

// introduced removes the limit.
func (a *allowance) introduced() { a.shown.Do(func() { close(a.known) }) }

// ended makes a read that waits fail.
func (a *allowance) ended() { a.over.Do(func() { close(a.gone) }) }

// read reads within the limit. It blocks, as a slow network does, until the connection may
// read again, has shown a valid token, or is closed.
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
	limited, err := a.wait()
	if err != nil {
		return 0, err
	}
	if !limited {
		return from.Read(b)
	}
	n, err := from.Read(b[:min(len(b), piece)])
	a.next = a.shared.ReserveN(time.Now(), n)
	return n, err
}

// wait blocks until the limiter has room for the last read. It reports whether the
// connection is still limited, and returns [net.ErrClosed] if it was closed meanwhile:
// what had arrived by then is not read.
func (a *allowance) wait() (limited bool, err error) {
	if a.next == nil {
		return true, nil
	}
	timer := time.NewTimer(a.next.Delay())
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-a.known:
		a.next.Cancel()
		return false, nil
	case <-a.gone:
		a.next.Cancel()
		return true, net.ErrClosed
	}
}
