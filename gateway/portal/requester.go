package portal

import (
	"context"
	"errors"
	"sync"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// requester sends the requests of a page to the daemon. With the first one it attaches to the session
// as a separate client, since the daemon grants the input lock to clients. Pages that only watch do
// not attach.
type requester struct {
	view *view

	mu      sync.Mutex
	talk    Conversation // nil = not attached
	closed  bool
	readers sync.WaitGroup
}

// send sends a request. It does not wait for the daemon.
func (q *requester) send(ctx context.Context, r *pb.AgentRequest) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if q.talk == nil {
		p := q.view.page
		d, err := p.options.Connect(p.account.secret, p.id)
		if err != nil {
			p.send(ctx, wire.ErrorMessage{Message: err.Error()})
			return
		}
		talk := d.Write(q.view.session)
		q.talk = talk
		q.readers.Go(func() { q.listen(ctx, d, talk) })
	}
	q.talk.Send(r)
}

// listen reports refusals of the daemon to the page. Other events come from the feed.
func (q *requester) listen(ctx context.Context, d Daemon, talk Conversation) {
	for e := range talk.Events() {
		if e.GetError() != nil && e.GetSequence() == 0 {
			q.view.refused(ctx, e.GetError())
		}
	}
	q.mu.Lock()
	q.talk = nil // the next request attaches again
	closed := q.closed
	q.mu.Unlock()
	err := talk.Err()
	switch {
	case closed:
	case errors.Is(err, ErrUnauthenticated):
		q.view.page.expire(ctx)
	case err != nil:
		q.view.lost(ctx, err.Error())
	}
	_ = d.Close() // no call is running
}

// close detaches.
func (q *requester) close() {
	q.mu.Lock()
	q.closed = true
	talk := q.talk
	q.mu.Unlock()
	if talk != nil {
		talk.Close()
	}
	q.readers.Wait()
}
