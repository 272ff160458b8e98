package supervision

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// maxIdle is how many idle goroutines a [Executor] keeps: about the usual number of active actors. The
// garbage collector shrinks their stacks.
const maxIdle = 256

// Executor runs functions, each on its own goroutine, and reuses goroutines that have become idle. The
// turn of an actor is short, and a new goroutine would have to grow its stack each time. A function
// never waits for a goroutine.
//
// As an [actor.Dispatcher] an executor runs mailboxes. The creator of an executor ends it with [Executor.Close].
type Executor struct {
	work   chan func()   // received by idle goroutines only
	idle   chan struct{} // one token for each idle goroutine
	closed chan struct{}
	once   sync.Once
}

// NewExecutor returns an executor without goroutines. They are started as functions arrive.
func NewExecutor() *Executor {
	return &Executor{work: make(chan func()), idle: make(chan struct{}, maxIdle), closed: make(chan struct{})}
}

var _ actor.Dispatcher = (*Executor)(nil)

// Go runs f and returns at once.
func (c *Executor) Go(f func()) {
	select {
	case c.work <- f:
	default:
		go c.serve(f)
	}
}

// Schedule implements actor.Dispatcher.
func (c *Executor) Schedule(f func()) { c.Go(f) }

// Throughput implements actor.Dispatcher: number of messages after which a mailbox yields. It is the library's default.
func (c *Executor) Throughput() int { return 300 }

// serve runs f and then later functions. It returns when there are enough idle goroutines
// without it, or after Close.
func (c *Executor) serve(f func()) {
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
func (c *Executor) next() func() {
	select {
	case f := <-c.work:
		return f
	case <-c.closed:
		return nil
	}
}

// Close ends the idle goroutines, and makes busy ones end after their function. It does not
// wait for functions: those that run, or are passed to Go afterwards, still run to their end.
func (c *Executor) Close() {
	c.once.Do(func() {
		close(c.closed)
		for range maxIdle {
			c.idle <- struct{}{}
		}
	})
}
