package main

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// client is one client of a session and behaves like a careful program: it attaches again after its
// last sequence, repeats unacknowledged messages under the same key, and records every event that
// it received.
type client struct {
	round   *round
	session string
	name    string
	writer  bool // the other ones watch

	mu     sync.Mutex
	log    []kit.Event // numbered 1, 2, 3, …; without bytes if it was compacted before it came
	gap    bool        // the next events may skip compacted ones
	said   []*message
	acked  map[string]bool
	stream grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent] // nil: not attached
	cuts   map[*kit.Daemon]int                                      // streams that ended while their daemon lived
}

// message is one message of the client.
type message struct{ key, text string }

// follow stays attached to whichever daemon there is, until ctx ends.
func (c *client) follow(ctx context.Context) {
	for ctx.Err() == nil {
		d := c.round.house.wait(ctx)
		if d == nil {
			return
		}
		if err := c.attach(ctx, d); err == nil {
			err = c.receive()
			c.round.note("client %s of %s: stream ended: %v", c.name, c.session, err)
		}
		c.mu.Lock()
		c.stream = nil
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Millisecond):
		}
		if ctx.Err() == nil && c.round.house.keeps(d) {
			c.mu.Lock()
			c.cuts[d]++
			c.mu.Unlock()
		}
	}
}

// attach opens a stream after the last received event, and repeats messages that may be lost.
func (c *client) attach(ctx context.Context, d *kit.Daemon) error {
	stream, err := d.Agents().Converse(metadata.AppendToOutgoingContext(ctx, "x-client-id", c.name))
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	history := pb.HistoryPolicy_HISTORY_POLICY_FULL
	if len(c.log) > 0 {
		history = pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE
	}
	start := &pb.StartConversation{
		History: history, KeepsPrompts: true, SessionId: c.session, WorkingDirectory: c.round.world.Project, Observer: !c.writer, FromSequence: uint64(len(c.log)),
	}
	if err := stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: start}}); err != nil {
		return err
	}
	c.stream = stream
	for _, m := range c.said {
		if !c.acked[m.key] {
			_ = stream.Send(m.request()) // the next stream repeats it
		}
	}
	return nil
}

func (m *message) request() *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: m.text, IdempotencyKey: m.key}}}
}

// receive takes events until the stream ends.
func (c *client) receive() error {
	for {
		var e kit.Event
		if err := c.stream.RecvMsg(&e); err != nil {
			return err
		}
		c.take(e)
		c.answer(e)
	}
}

// take writes an event down and checks its number.
func (c *client) take(e kit.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, have := e.GetSequence(), uint64(len(c.log))
	switch {
	case n == 0:
		c.gap = c.gap || e.GetSessionInfo().GetIsCompacted()
		return
	case n == have+1, n > have && c.gap:
		c.log = append(append(c.log, make([]kit.Event, n-have-1)...), e)
		c.gap = false
	case n > have+1:
		c.round.report(lost, "client %s of %s got %d after %d", c.name, c.session, n, have)
		return
	case n <= have && bytes.Equal(c.log[n-1].Raw, e.Raw):
		c.round.report(duplicated, "client %s of %s got %d again after %d", c.name, c.session, n, have)
		return
	default:
		c.round.report(reordered, "client %s of %s got another %d after %d", c.name, c.session, n, have)
		return
	}
	if key := e.GetUserInput().GetIdempotencyKey(); key != "" {
		c.acked[key] = true
	}
}

// answer answers each request when it is published, unless the session is held.
func (c *client) answer(e kit.Event) {
	if c.round.holds(c.session) {
		return
	}
	if r := e.GetPermissionRequest(); r != nil {
		c.send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: r.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE,
		}}})
	}
	if q := e.GetUserQuestion(); q != nil {
		c.send(&pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
			QuestionId: q.GetQuestionId(), Answers: map[string]string{q.GetQuestion(): "as you like"},
		}}})
	}
}

// send writes a request if there is a stream. A lost request is repeated by its
// sender.
func (c *client) send(r *pb.AgentRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stream != nil {
		_ = c.stream.Send(r) // the stream may be cut
	}
}

// say sends a message now and, until it is acknowledged, on each later stream.
func (c *client) say(text string) *message {
	m := &message{key: uuid.NewString(), text: text}
	c.mu.Lock()
	c.said = append(c.said, m)
	c.mu.Unlock()
	c.send(m.request())
	return m
}

// saidAll reports whether all messages are acknowledged.
func (c *client) saidAll() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.said {
		if !c.acked[m.key] {
			return false
		}
	}
	return true
}

// events returns what was received so far.
func (c *client) events() []kit.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log[:len(c.log):len(c.log)]
}

// where describes the progress of the client, for people.
func (c *client) where() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("client %s of %s: %d events, %d said, %d acknowledged, attached %t", c.name, c.session, len(c.log), len(c.said), len(c.acked), c.stream != nil)
}

// cut returns how many streams to a daemon ended while it lived.
func (c *client) cut(d *kit.Daemon) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cuts[d]
}
