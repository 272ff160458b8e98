package auth

import (
	"net"
	"sync"
)

// ancestry is the restriction of a caller's process. The first call that depends on it determines
// it, once per connection: the look-up is expensive, and health checks and callers without a token
// do not need it.
type ancestry struct {
	ask func() Restriction

	once   sync.Once
	done   chan struct{} // closed when result is set
	result Restriction
}

func newAncestry(ask func() Restriction) *ancestry {
	return &ancestry{ask: ask, done: make(chan struct{})}
}

// get returns the restriction. The first call determines it.
func (a *ancestry) get() Restriction {
	if a == nil {
		return Unrestricted
	}
	a.once.Do(func() {
		a.result = Unknown // if ask panics
		defer close(a.done)
		a.result = a.ask()
	})
	return a.result
}

// decided reports whether the restriction is known.
func (a *ancestry) decided() bool {
	if a == nil {
		return true
	}
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// drop makes the restriction Unknown and calls release, unless it is known.
func (a *ancestry) drop(release func()) {
	a.once.Do(func() {
		a.result = Unknown
		close(a.done)
		release()
	})
}

// closing is a connection that calls a function when it is closed.
type closing struct {
	net.Conn
	closed func()
}

// Close implements net.Conn.
func (c closing) Close() error {
	err := c.Conn.Close()
	c.closed()
	return err
}
