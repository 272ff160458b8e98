package supervision

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// maxIdle is how many idle goroutines a [Crew] keeps: about the usual number of active actors. The
// garbage collector shrinks their stacks.
const maxIdle = 256

// Crew runs functions, each on its own goroutine, and reuses goroutines that have become idle. The
// turn of an actor is short, and a new goroutine would have to grow its stack each time. A function
// never waits for a goroutine.
//
// As an [actor.Dispatcher] a crew runs mailboxes. The creator of a crew ends it with [Crew.Close].
type Crew struct {
	work   chan func()   // received by idle goroutines only
	idle   chan struct{} // one token for each idle goroutine
	closed chan struct{}
	once   sync.Once
}

// NewCrew returns a crew without goroutines. They are started as functions arrive.
func NewCrew() *Crew {
	return &Crew{work: make(chan func()), idle: make(chan struct{}, maxIdle), closed: make(chan struct{})}
}

var _ actor.Dispatcher = (*Crew)(nil)

// Go runs f and returns at once.
func (c *Crew) Go(f func()) {
	select {
	case c.work <- f:
	default:
		go c.serve(f)
	}
}

// Schedule implements actor.Dispatcher.
func (c *Crew) Schedule(f func()) { c.Go(f) }

// Throughput implements actor.Dispatcher: number of messages after which a mailbox yields. It is the library's default.
func (c *Crew) Throughput() int { return 300 }

// serve runs f and then later functions. It returns when there are enough idle goroutines
// without it, or after Close.
func (c *Crew) serve(f func()) {
	for f != nil {
		f()
		select {
		case c.idle <- struct{}{}:
			f = c.next()
			<-c.idle
		default:
			return
		}
	}
}

// next waits for a function. It returns nil after Close.
func (c *Crew) next() func() {
	select {
	case f := <-c.work:
		return f
	case <-c.closed:
		return nil
	}
}

// Close ends the idle goroutines, and makes busy ones end after their function. It does not
// wait for functions: those that run, or are passed to Go afterwards, still run to their end.
func (c *Crew) Close() {
	c.once.Do(func() {
		close(c.closed)
		for range maxIdle {
			c.idle <- struct{}{}
		}
	})
}
