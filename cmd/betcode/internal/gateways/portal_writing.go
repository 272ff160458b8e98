package gateways

import (
	"context"
	"errors"
	"sync/atomic"

	"betcode/cmd/betcode/internal/client"
	pb "betcode/proto/betcode/v1"
)

// errRestored ends a conversation: the numbers of events have begun anew.
var errRestored = errors.New("The daemon has another journal; load the page again") //nolint:staticcheck // shown to people as it is

// writing is a conversation for the requests of a page, or of a proxy. It implements [portal.Conversation].
//
// Pages and portals know no input lock: it is given back as soon as it was used, so that people at other
// pages and terminals can write ([decision 295]).
//
// [decision 295]: docs/decisions/0295-pages-give-the-input-lock-back.md
type writing struct {
	talk     *client.Conversation
	client   string // its id
	events   chan *pb.AgentEvent
	gone     context.Context // done when it is closed
	leave    context.CancelFunc
	restored atomic.Bool // the daemon has another journal
}

func newWriting(cl *client.Client, session string) *writing {
	return conversing(cl, &pb.StartConversation{SessionId: session, History: pb.HistoryPolicy_HISTORY_POLICY_NONE})
}

func conversing(cl *client.Client, start *pb.StartConversation) *writing {
	w := &writing{client: cl.ID(), events: make(chan *pb.AgentEvent)}
	w.gone, w.leave = context.WithCancel(context.Background())
	w.talk = cl.Converse(context.Background(), client.ConverseOptions{Start: start})
	go w.forward()
	return w
}

// forward hands the events on, and shows a request that is lost as an error.
func (w *writing) forward() {
	defer close(w.events)
	for item := range w.talk.Items() {
		event := item.Event
		switch {
		case item.Outage != nil && item.Outage.Restored:
			w.restored.Store(true)
			go w.talk.Close() // it waits for the reader of its items
		case item.Lost.GetLock() != nil: // the lock ends with the connection
		case item.Lost != nil:
			event = &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
				Message: "The daemon went away before it had the request; send it again",
			}}}
		}
		if event == nil || w.restored.Load() {
			continue // the connection broke, or is back
		}
		if w.holds(event) {
			w.talk.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: pb.LockAction_LOCK_ACTION_RELEASE}}})
		}
		select {
		case w.events <- event:
		case <-w.gone.Done():
		}
	}
}

// holds reports whether an event says that this client holds the input lock. Its requests are read
// before the release that follows them.
func (w *writing) holds(e *pb.AgentEvent) bool {
	return e.GetLock().GetHolder() == w.client && w.client != ""
}

// Events implements [portal.Conversation].
func (w *writing) Events() <-chan *pb.AgentEvent { return w.events }

// Err implements [portal.Conversation].
func (w *writing) Err() error {
	switch {
	case w.restored.Load():
		return errRestored
	case w.gone.Err() == nil:
		return portalError(w.talk.Err())
	}
	return nil
}

// Send implements [portal.Conversation].
func (w *writing) Send(r *pb.AgentRequest) { w.talk.Send(r) }

// Close implements [portal.Conversation].
func (w *writing) Close() {
	w.leave()
	w.talk.Close()
}
