package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// When the daemon answers with its own failure, again and again and without a
// single new event in between, the daemon is not asked without end.
const maxFailures = 5

// A connection that lasted this long was a good one: the next attempt after it is
// a first one.
const goodConnection = 5 * time.Second

// ConverseOptions say what a conversation is about.
type ConverseOptions struct {
	// Start is sent first. An empty session id is filled in, so that a stream that
	// drops before the first event does not make two sessions.
	Start *pb.StartConversation
	// MaxOutage is how long the daemon may be unreachable. 0 = without limit.
	MaxOutage time.Duration
}

// Item is one thing that happened: an event, or something about the connection.
type Item struct {
	Event  *pb.AgentEvent
	Outage *Outage
	Lost   *pb.AgentRequest // was for now, and did not reach the daemon
}

// Outage is a connection that broke, came back, or came back with another journal.
type Outage struct {
	Err      error         // why it broke; nil when it is over
	Attempt  int           // the next attempt, from 1
	Wait     time.Duration // until then
	Restored bool          // the daemon has another journal: history begins anew
}

// Conversation is one session as seen by one client.
type Conversation struct {
	client  *Client
	options ConverseOptions
	session string
	items   chan Item
	wake    chan struct{} // there may be something to send
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	ledger ledger
	closed bool  // nothing more will be said
	err    error // why items is closed
}

// Converse opens a conversation. Close it.
func (c *Client) Converse(ctx context.Context, o ConverseOptions) *Conversation {
	start := proto.CloneOf(o.Start)
	if start.GetSessionId() == "" {
		start.SessionId = uuid.NewString()
	}
	ctx, cancel := context.WithCancel(ctx)
	v := &Conversation{
		client: c, options: o, session: start.GetSessionId(),
		items: make(chan Item, 64), wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}),
		ledger: ledger{start: start},
	}
	go func() {
		defer close(v.done)
		err := v.run(ctx)
		v.mu.Lock()
		v.err = err
		v.mu.Unlock()
		close(v.items)
	}()
	return v
}

// Session is the id of the session.
func (v *Conversation) Session() string { return v.session }

// Items is what happens, in order. It is closed at the end; Err says why.
func (v *Conversation) Items() <-chan Item { return v.items }

// Err is why the conversation ended: io.EOF for a clean end.
func (v *Conversation) Err() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// Close detaches. The session goes on.
func (v *Conversation) Close() {
	v.cancel()
	for range v.items { // the rest is not read
	}
	<-v.done
}

// Say sends a user message and returns its key.
func (v *Conversation) Say(content string, attachments ...*pb.Attachment) string {
	key := uuid.NewString()
	v.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{
		Message: &pb.UserMessage{Content: content, Attachments: attachments, IdempotencyKey: key},
	}})
	return key
}

// Send sends anything but a StartConversation.
func (v *Conversation) Send(r *pb.AgentRequest) {
	v.mu.Lock()
	v.ledger.say(r)
	v.mu.Unlock()
	v.signal()
}

// CloseSend says that nothing more will be said: the conversation ends cleanly
// when everything said is settled.
func (v *Conversation) CloseSend() {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.signal()
}

// Unsettled is how many messages and answers are not known to have arrived.
func (v *Conversation) Unsettled() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ledger.unsettled()
}

func (v *Conversation) signal() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// run connects, again and again, until there is a reason not to.
func (v *Conversation) run(ctx context.Context) error {
	var (
		attempt, failures int
		lost              time.Time // when the connection broke; zero while there is one
	)
	for {
		began := time.Now()
		progress, err := v.connect(ctx, !lost.IsZero())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !v.disconnected(ctx) {
			return ctx.Err()
		}
		if progress || time.Since(began) > goodConnection {
			attempt, failures, lost = 0, 0, time.Time{}
		}
		if errors.Is(err, errRestored) || status.Code(err) == codes.OutOfRange && v.forget() {
			if !v.put(ctx, Item{Outage: &Outage{Restored: true}}) {
				return ctx.Err()
			}
			continue
		}
		switch verdictOf(err) {
		case giveUp:
			return err
		case failed:
			if failures++; failures >= maxFailures {
				return err
			}
		case comeBack:
		}
		if lost.IsZero() {
			lost = time.Now()
		}
		wait := backoff(attempt, rand.Float64())
		if most := v.options.MaxOutage; most > 0 && time.Since(lost)+wait > most {
			return fmt.Errorf("no answer for %s: %w", most, err)
		}
		attempt++
		if err := v.pause(ctx, err, attempt, wait); err != nil {
			return err
		}
	}
}

// disconnected notes that what was said may not have arrived, and tells what will
// not be said again. False when the conversation was closed.
func (v *Conversation) disconnected(ctx context.Context) bool {
	v.mu.Lock()
	lost := v.ledger.disconnected()
	v.mu.Unlock()
	for _, r := range lost {
		if !v.put(ctx, Item{Lost: r}) {
			return false
		}
	}
	return true
}

// pause tells about an outage and sits it out.
func (v *Conversation) pause(ctx context.Context, cause error, attempt int, wait time.Duration) error {
	if !v.put(ctx, Item{Outage: &Outage{Err: cause, Attempt: attempt, Wait: wait}}) {
		return ctx.Err()
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *Conversation) put(ctx context.Context, item Item) bool {
	select {
	case v.items <- item:
		return true
	case <-ctx.Done():
		return false
	}
}

// forget drops the cursor if there is one.
func (v *Conversation) forget() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	had := v.ledger.last > 0
	v.ledger.forget()
	return had
}

// verdict is what an error means for the next attempt.
type verdict uint8

const (
	giveUp   verdict = iota // asking again would not help
	comeBack                // the daemon is away
	failed                  // the daemon failed; it may not the next time
)

// verdictOf reads the catalogue's column "client action".
func verdictOf(err error) verdict {
	if err == nil || errors.Is(err, io.EOF) {
		return giveUp
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded, codes.Aborted:
		return comeBack
	case codes.Unknown, codes.Internal, codes.ResourceExhausted:
		return failed
	case codes.OK, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied,
		codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented, codes.DataLoss, codes.Unauthenticated:
		return giveUp
	}
	return giveUp
}
