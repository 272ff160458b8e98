package supervision

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// spares is how many goroutines a [Crew] keeps that have nothing to do: as many as
// actors are commonly awake at once. The collector shrinks their stacks.
const spares = 256

// Crew runs what has to be done, each piece on a goroutine of its own, and keeps
// a few of these for the next pieces: an actor's turn is short, and a new
// goroutine pays for growing its stack each time. It never makes anything wait.
//
// As an [actor.Dispatcher] it runs mailboxes. The creator of a crew ends it with
// [Crew.Close].
type Crew struct {
	work   chan func()   // taken by spare goroutines only
	places chan struct{} // one token each while they wait for it
	closed chan struct{}
	once   sync.Once
}

// NewCrew returns a crew without workers; it grows with its work.
func NewCrew() *Crew {
	return &Crew{work: make(chan func()), places: make(chan struct{}, spares), closed: make(chan struct{})}
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

// Throughput implements actor.Dispatcher: the messages after which a mailbox lets
// others have their turn; the library's default.
func (c *Crew) Throughput() int { return 300 }

// serve does one piece of work after the other, until there are enough others
// who wait for the next.
func (c *Crew) serve(f func()) {
	for f != nil {
		f()
		select {
		case c.places <- struct{}{}:
			f = c.next()
			<-c.places
		default:
			return
		}
	}
}

// next waits for work; there is none after the end.
func (c *Crew) next() func() {
	select {
	case f := <-c.work:
		return f
	case <-c.closed:
		return nil
	}
}

// Close ends the goroutines that wait for work, and those that would wait later. What is being
// done, or is begun afterwards, is still done; those who gave it know when.
func (c *Crew) Close() {
	c.once.Do(func() {
		close(c.closed)
		for range spares {
			c.places <- struct{}{}
		}
	})
}
