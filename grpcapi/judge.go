package grpcapi

import (
	"net"
	"sync"
)

// judgement is what a caller's process may, found out at the first call that it matters
// to and then held for the connection: to look is expensive, and whoever has no token,
// or asks for nothing but health, is not worth it.
type judgement struct {
	ask func() restriction

	once   sync.Once
	done   chan struct{} // closed when result is there
	result restriction
}

func newJudgement(ask func() restriction) *judgement {
	return &judgement{ask: ask, done: make(chan struct{})}
}

// get returns what the caller may, looking if nobody has.
func (j *judgement) get() restriction {
	if j == nil {
		return unrestricted
	}
	j.once.Do(func() {
		j.result = unknown // should looking panic
		defer close(j.done)
		j.result = j.ask()
	})
	return j.result
}

// decided reports whether somebody has looked.
func (j *judgement) decided() bool {
	if j == nil {
		return true
	}
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// drop has a connection that was never looked at count as unknown, and calls release.
func (j *judgement) drop(release func()) {
	j.once.Do(func() {
		j.result = unknown
		close(j.done)
		release()
	})
}

// closing is a connection that has something done when it is closed.
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
