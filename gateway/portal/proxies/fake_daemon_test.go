package proxies

import (
	"context"
	"io"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// fakeDaemon records its requests.
type fakeDaemon struct {
	log     func(string, ...any)
	refuses map[string]error

	mu    sync.Mutex
	away  bool
	calls []*fakeCall
}

func (d *fakeDaemon) connect(secret, _ string) (Daemon, error) {
	d.log("= connect with %q", secret)
	return fakeDaemonOf{d, secret}, nil
}

func (d *fakeDaemon) call(n int) *fakeCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[n-1]
}

func (d *fakeDaemon) goAway() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = true
	for _, c := range d.calls {
		c.fail(failures["away"])
	}
}

func (d *fakeDaemon) comeBack() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = false
}

// fakeDaemonOf is the daemon for a token.
type fakeDaemonOf struct {
	*fakeDaemon
	secret string
}

func (d fakeDaemonOf) Close() error { return nil }

func (d fakeDaemonOf) Proxy(ctx context.Context) (Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away {
		return nil, failures["away"]
	}
	c := &fakeCall{fakeDaemonOf: d, ctx: ctx, number: len(d.calls) + 1, events: make(chan *pb.ProxyEvent, 100), ended: make(chan struct{})}
	d.calls = append(d.calls, c)
	return c, nil
}

type fakeCall struct {
	fakeDaemonOf
	ctx    context.Context
	number int
	events chan *pb.ProxyEvent
	ended  chan struct{}
	once   sync.Once
	err    error
}

func shown(m proto.Message) string {
	raw, _ := protojson.Marshal(m)
	return strings.ReplaceAll(strings.ReplaceAll(string(raw), `": `, `":`), `, "`, `,"`) // protojson adds random spaces
}

func (c *fakeCall) Send(r *pb.ProxyRequest) error {
	select {
	case <-c.ended:
		return io.EOF
	default:
	}
	c.log("= %d: %s", c.number, shown(r))
	if r.GetRegister() != nil {
		if err := c.refuses[c.secret]; err != nil {
			c.fail(err)
			return nil
		}
		c.events <- &pb.ProxyEvent{Event: &pb.ProxyEvent_Registered{Registered: &pb.ProxyRegistered{SessionId: r.GetRegister().GetSessionId()}}}
	}
	return nil
}

func (c *fakeCall) Recv() (*pb.ProxyEvent, error) {
	select {
	case e := <-c.events:
		return e, nil
	case <-c.ended:
		return nil, c.err
	case <-c.ctx.Done():
		return nil, context.Canceled
	}
}

func (c *fakeCall) fail(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.ended)
	})
}
