package grpcapi

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Published clients of betcode.v1 know neither the keys under which requests are
// refused nor more than one prompt at a time, and their screens replay a session beside
// its Converse stream. What a stream does for them is in this file. Clients of ours say
// keeps_prompts and are served without it.

// startGrace is how long the first event of a published client's stream waits for a
// message that was sent together with StartConversation. Such a message is on its way
// already; a screen, which sends none, gets its first event that much later.
const startGrace = 50 * time.Millisecond

// published is what a conversation remembers for published clients.
type published struct {
	keepsPrompts bool
	leave        func() // ends the registration in conversing

	together chan struct{} // receive hands over that the first request came with the start
	begun    chan struct{} // closed by send before its first event
	later    bool          // the first request was seen; receive's

	answered map[string]bool // questions that were answered on this stream; receive's
}

func newPublished() published {
	return published{leave: func() {}, together: make(chan struct{}), begun: make(chan struct{}), answered: map[string]bool{}}
}

// awaitFirst delays the first event of a published client's stream until its first
// request is here, or the time for that is over. Only send calls it, so that it decides
// alone whether the request came before its first event.
func (p *published) awaitFirst(ctx context.Context, halfClosed, draining <-chan struct{}) {
	defer close(p.begun)
	if p.keepsPrompts {
		return
	}
	grace := time.NewTimer(startGrace)
	defer grace.Stop()
	select {
	case <-p.together:
	case <-grace.C:
	case <-halfClosed:
	case <-draining:
	case <-ctx.Done():
	}
}

// cameWithStart reports whether the request that was just received came together with
// StartConversation: it is the first, and no event was sent before it.
func (p *published) cameWithStart() bool {
	if p.later {
		return false
	}
	p.later = true
	select {
	case p.together <- struct{}{}:
		return true
	case <-p.begun:
		return false
	}
}

// refusesMessage reports whether an error says that a message will not be taken,
// whatever happens on the stream.
func refusesMessage(err error) bool {
	var e *messages.Error
	return errors.As(err, &e) && (e.Code == messages.NoInputLock || e.Kind == messages.Invalid)
}

// repeatPrompts sends what still waits for a person, after an answer on the stream. A
// client with one place for a prompt keeps the last it was sent, and would never ask
// about the others. Questions that were answered on this stream are left out: they wait
// for the rest of their request.
func (c *conversation) repeatPrompts(ctx context.Context, request *pb.AgentRequest) {
	if c.keepsPrompts || request.GetPermission() == nil && request.GetQuestionResponse() == nil {
		return
	}
	if q := request.GetQuestionResponse(); q != nil {
		c.answered[q.GetQuestionId()] = true
	}
	prompts, err := ask[messages.Prompts](ctx, c.server.asker, messages.GetPrompts{Session: c.session})
	if err != nil {
		return // the session has gone; the stream says so
	}
	for _, prompt := range prompts.Events {
		event := &pb.AgentEvent{}
		if proto.Unmarshal(prompt.Bytes, event) != nil || c.answered[event.GetUserQuestion().GetQuestionId()] {
			continue
		}
		if !c.report(ctx, failure{warning: event}) {
			return
		}
	}
}
