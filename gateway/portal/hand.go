package portal

import (
	"context"
	"errors"
	"sync"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// hand hands the requests of a page to the daemon. It attaches to the session with the first one, as
// a client of its own: the daemon gives the input lock to clients. Pages that only watch have none.
type hand struct {
	view *view

	mu      sync.Mutex
	talk    Conversation // nil = not attached
	closed  bool
	readers sync.WaitGroup
}

// send hands a request over. It does not wait for the daemon.
func (h *hand) send(ctx context.Context, r *pb.AgentRequest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	if h.talk == nil {
		p := h.view.page
		d, err := p.options.Connect(p.account.secret, p.id)
		if err != nil {
			p.send(ctx, wire.ErrorMessage{Message: err.Error()})
			return
		}
		talk := d.Write(h.view.session)
		h.talk = talk
		h.readers.Go(func() { h.listen(ctx, d, talk) })
	}
	h.talk.Send(r)
}

// listen tells the page what the daemon refuses. What happens in the session comes from the feed.
func (h *hand) listen(ctx context.Context, d Daemon, talk Conversation) {
	for e := range talk.Events() {
		if e.GetError() != nil && e.GetSequence() == 0 {
			h.view.refused(ctx, e.GetError())
		}
	}
	h.mu.Lock()
	h.talk = nil // the next request attaches anew
	closed := h.closed
	h.mu.Unlock()
	err := talk.Err()
	switch {
	case closed:
	case errors.Is(err, ErrUnauthenticated):
		h.view.page.expire(ctx)
	case err != nil:
		h.view.lost(ctx, err.Error())
	}
	_ = d.Close() // nothing is asked any more
}

// close detaches.
func (h *hand) close() {
	h.mu.Lock()
	h.closed = true
	talk := h.talk
	h.mu.Unlock()
	if talk != nil {
		talk.Close()
	}
	h.readers.Wait()
}
