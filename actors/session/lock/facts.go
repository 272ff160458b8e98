package lock

import (
	"time"

	"betcode/messages"
)

// Fact is something that happened to the lock. Facts are applied in order.
type Fact interface{ fact() }

type (
	// Moved reports a new holder, or that the lock is free. The holder is to be made durable.
	Moved struct{ View View }

	// Changed reports that clients see a difference while the holder is the same.
	Changed struct{ View View }

	// Answered ends a pending request.
	Answered struct {
		Ticket Ticket
		Answer messages.LockAnswer
	}
)

func (Moved) fact()    {}
func (Changed) fact()  {}
func (Answered) fact() {}

// View is what clients see of the lock.
type View struct {
	Holder      messages.ClientID
	Previous    messages.ClientID   // the holder before; set by [Moved] alone
	Waiting     []messages.ClientID // the first shownWaiters of the queue
	RequestedBy messages.ClientID   // the first whose request is pending
	AnswerBy    time.Time           // deadline of the holder's response; zero without a request
	OfferedTo   messages.ClientID
	OfferedTill time.Time // zero without an offer
}

// shownWaiters bounds how many waiters a view names.
const shownWaiters = 100

// View returns what clients see now.
func (l *Lock) View() View {
	v := View{Holder: l.holder, OfferedTo: l.offeredTo(), OfferedTill: l.offer}
	for _, w := range l.queue[:min(len(l.queue), shownWaiters)] {
		v.Waiting = append(v.Waiting, w.client)
	}
	if i := l.requester(); i >= 0 {
		v.RequestedBy, v.AnswerBy = l.queue[i].client, l.deadline
	}
	return v
}
