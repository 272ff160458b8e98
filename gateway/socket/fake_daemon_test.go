package socket

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// fakeDaemon records its requests.
type fakeDaemon struct {
	log   func(string, ...any)
	found map[string]Found
	away  error // of Find

	mu            sync.Mutex
	conversations []*fakeConversation
}

// keys are random: the exchange shows that there is one.
var keys = regexp.MustCompile(`"idempotencyKey":"[0-9a-f-]{36}"`)

func shown(m proto.Message) string {
	raw, _ := protojson.Marshal(m)
	text := strings.ReplaceAll(strings.ReplaceAll(string(raw), `": `, `":`), `, "`, `,"`) // protojson adds random spaces
	return keys.ReplaceAllString(text, `"idempotencyKey":"KEY"`)
}

func (d *fakeDaemon) Converse(start *pb.StartConversation) Conversation {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.conversations) + 1
	id := start.GetSessionId()
	if id == "" {
		id = fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	}
	c := &fakeConversation{log: d.log, number: n, session: id, events: make(chan *pb.AgentEvent, 100)}
	d.conversations = append(d.conversations, c)
	d.log("= converse %d: %s", n, shown(start))
	return c
}

func (d *fakeDaemon) Find(_ context.Context, reference string) (Found, error) {
	if d.away != nil {
		return Found{}, d.away
	}
	if f, ok := d.found[reference]; ok {
		return f, nil
	}
	return Found{}, ErrNotFound
}

func (d *fakeDaemon) Deny(_ context.Context, session, request, why string) error {
	d.log("= deny %s of %s: %s", request, session, why)
	return nil
}

func (d *fakeDaemon) Stop(_ context.Context, session string) error {
	d.log("= stop %s", session)
	return nil
}

func (d *fakeDaemon) Close() error { return nil }

func (d *fakeDaemon) conversation(n int) *fakeConversation {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conversations[n-1]
}

func (d *fakeDaemon) event(t *testing.T, n int, text string) {
	e := &pb.AgentEvent{}
	if err := protojson.Unmarshal([]byte(text), e); err != nil {
		t.Fatal(err)
	}
	d.conversation(n).events <- e
}

type fakeConversation struct {
	log     func(string, ...any)
	number  int
	session string
	events  chan *pb.AgentEvent

	mu    sync.Mutex
	ended bool
	err   error
}

func (c *fakeConversation) Session() string { return c.session }

func (c *fakeConversation) Next(wait bool) *pb.AgentEvent {
	if wait {
		return <-c.events
	}
	select {
	case e := <-c.events:
		return e
	default:
		return nil
	}
}

func (c *fakeConversation) Send(r *pb.AgentRequest) { c.log("= send %d: %s", c.number, shown(r)) }

func (c *fakeConversation) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *fakeConversation) Close() { c.end(nil) }

func (c *fakeConversation) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.ended, c.err = true, err
		close(c.events)
	}
}
