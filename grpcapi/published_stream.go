package grpcapi

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/handler"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Published clients of betcode.v1 ignore the details that name a refused request, show one prompt
// at a time, and replay a session beside its Converse stream. This file has the workarounds for
// them. Clients that set keeps_prompts do not get them.

// startGrace is how long the first event of a published client's stream waits for a message that
// was sent together with StartConversation. A screen sends none, so its first event is delayed by
// startGrace.
const startGrace = 50 * time.Millisecond

// published is the state of a conversation that serves published clients.
type published struct {
	keepsPrompts bool
	leave        func() // removes the stream from conversing

	together chan struct{} // sent by receive if the first request came with the start
	begun    chan struct{} // closed by send before its first event
	later    bool          // the first request was received; owned by receive

	answered map[string]bool // questions that were answered on this stream; owned by receive
}

func newPublished() published {
	return published{leave: func() {}, together: make(chan struct{}), begun: make(chan struct{}), answered: map[string]bool{}}
}

// awaitFirst delays the first event of a published client's stream until its first request is
// received or startGrace is over. Only send calls it, so send alone decides whether the
// request came before the first event.
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

// cameWithStart reports whether the request just received came together with
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

// refusesMessage reports whether an error refuses a message permanently.
func refusesMessage(err error) bool {
	var e *messages.Error
	return errors.As(err, &e) && (e.Code == messages.NoInputLock || e.Kind == messages.Invalid)
}

// repeatPrompts sends the undecided requests again after an answer on the stream. A client that
// shows one prompt at a time shows the last one that it got, and would never show the others.
// Questions that were answered on this stream are omitted, although the rest of their request is
// undecided.
func (c *conversation) repeatPrompts(ctx context.Context, request *pb.AgentRequest) {
	if c.keepsPrompts || request.GetPermission() == nil && request.GetQuestionResponse() == nil {
		return
	}
	if q := request.GetQuestionResponse(); q != nil {
		c.answered[q.GetQuestionId()] = true
	}
	prompts, err := handler.Ask[messages.Prompts](ctx, c.server.asker, messages.GetPrompts{Session: c.session})
	if err != nil {
		return // the session does not exist any more, which ends the stream
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
