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

// maxFailures is how many times in a row, without a new event, the daemon may answer
// with a failure of its own before the conversation ends.
const maxFailures = 5

// goodConnection is how long a connection has to last to reset the backoff.
const goodConnection = 5 * time.Second

// ConverseOptions are the options of a conversation.
type ConverseOptions struct {
	// Start is sent first. An empty session id is replaced by a new one, so that a
	// stream that breaks before the first event does not create two sessions.
	Start *pb.StartConversation
	// MaxOutage is how long the daemon may be unreachable. 0 = no limit.
	MaxOutage time.Duration
}

// Item is an event, a change of the connection, or a lost request; one field is set.
type Item struct {
	Event  *pb.AgentEvent
	Outage *Outage
	Lost   *pb.AgentRequest // not sent again, and possibly not received by the daemon
}

// Outage reports that the connection broke, is back, or is back with another journal.
type Outage struct {
	Err      error         // why it broke; nil when it is back
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
	wake    chan struct{} // a request may be ready to send
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	ledger ledger
	closed bool  // CloseSend was called
	err    error // why items is closed
}

// Converse opens a conversation. The caller closes it.
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

// Session returns the id of the session.
func (v *Conversation) Session() string { return v.session }

// Items returns the items in order. The channel is closed at the end; [Conversation.Err]
// has the reason.
func (v *Conversation) Items() <-chan Item { return v.items }

// Err returns why the conversation ended; io.EOF for a clean end.
func (v *Conversation) Err() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// Close detaches. The session goes on.
func (v *Conversation) Close() {
	v.cancel()
	for range v.items { // drain, so that the goroutine ends
	}
	<-v.done
}

// SendMessage sends a user message and returns its idempotency key.
func (v *Conversation) SendMessage(content string, attachments ...*pb.Attachment) string {
	key := uuid.NewString()
	v.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{
		Message: &pb.UserMessage{Content: content, Attachments: attachments, IdempotencyKey: key},
	}})
	return key
}

// Send sends a request that is not a StartConversation.
func (v *Conversation) Send(r *pb.AgentRequest) {
	v.mu.Lock()
	v.ledger.add(r)
	v.mu.Unlock()
	v.signal()
}

// CloseSend ends the conversation once every message and answer is confirmed.
func (v *Conversation) CloseSend() {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.signal()
}

// Unconfirmed returns the number of messages and answers that the daemon has neither
// confirmed nor refused.
func (v *Conversation) Unconfirmed() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ledger.unconfirmed()
}

// Unused reports whether the daemon discards the session when this client detaches: the client
// began it, and it has no message.
func (v *Conversation) Unused() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ledger.unused()
}

func (v *Conversation) signal() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// run reconnects until the conversation ends or an error is permanent.
func (v *Conversation) run(ctx context.Context) error {
	var (
		attempt, failures int
		lost              time.Time // when the connection broke; zero while connected
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
		case retry:
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

// disconnected marks requests to be sent again, and reports those that are lost. It
// returns false if the conversation was closed.
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

// pause reports an outage and waits for the next attempt.
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

// verdict is what follows an error.
type verdict uint8

const (
	giveUp verdict = iota // another attempt would fail too
	retry                 // the daemon is unreachable
	failed                // the daemon failed; another attempt may succeed
)

// verdictOf follows the column "client action" of the error catalogue.
func verdictOf(err error) verdict {
	if err == nil || errors.Is(err, io.EOF) {
		return giveUp
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded, codes.Aborted:
		return retry
	case codes.Unknown, codes.Internal, codes.ResourceExhausted:
		return failed
	case codes.OK, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied,
		codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented, codes.DataLoss, codes.Unauthenticated:
		return giveUp
	}
	return giveUp
}
