package foreignproxy

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"betcode/gateway/portal/proxies"
	pb "betcode/proto/betcode/v1"
)

// model is the smallest daemon that keeps its promises to proxies: it stores lines once, and sends
// inputs and decisions until they are acknowledged. It has one session. kill ends it as SIGKILL
// does: lines that were not stored are lost.
type model struct {
	mu      sync.Mutex
	changed chan struct{}
	dead    bool
	call    *modelCall

	lines     [][]byte
	next      uint64 // number of the next line
	inputs    []*pb.ProxyInput
	taken     uint64
	asked     []*pb.ProxyAsked
	decisions []*pb.ProxyDecision // that are not taken
	facts     *pb.ProxyUpdate
}

func newModel() *model { return &model{changed: make(chan struct{})} }

var errDead = errors.New("no daemon answers")

func (d *model) connect(string, string) (proxies.Daemon, error) { return d, nil }

func (d *model) Close() error { return nil }

func (d *model) Proxy(ctx context.Context) (proxies.Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return nil, errDead
	}
	return &modelCall{model: d, ctx: ctx, more: make(chan struct{}, 1), ended: make(chan struct{})}, nil
}

// change wakes those who wait. The caller holds mu.
func (d *model) change() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// until waits until done returns true.
func (d *model) until(ctx context.Context, done func() bool) error {
	for {
		d.mu.Lock()
		ok, changed := done(), d.changed
		d.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// kill ends the daemon; start begins the next one with the same journal.
func (d *model) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	if d.call != nil {
		d.call.end(errDead)
		d.call = nil
	}
}

func (d *model) start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = false
}

func (d *model) prompt(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := &pb.ProxyInput{Seq: uint64(len(d.inputs) + 1), Content: text, IdempotencyKey: text}
	d.inputs = append(d.inputs, i)
	d.call.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_Input{Input: i}})
}

func (d *model) decide(allow bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.asked[len(d.asked)-1]
	decision := &pb.ProxyDecision{RequestId: a.GetRequestId(), Allow: allow, Input: a.GetInput()}
	d.decisions = append(d.decisions, decision)
	d.call.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_Decision{Decision: decision}})
}

// emit sends an event to the proxy.
func (d *model) emit(e *pb.ProxyEvent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.call.emit(e)
}

type modelCall struct {
	*model
	ctx   context.Context
	more  chan struct{}
	ended chan struct{}
	out   []*pb.ProxyEvent // guarded by mu of the daemon
	err   error
}

// The caller of emit and end holds mu.
func (c *modelCall) emit(e *pb.ProxyEvent) {
	if c == nil {
		return
	}
	c.out = append(c.out, e)
	select {
	case c.more <- struct{}{}:
	default:
	}
}

func (c *modelCall) end(err error) {
	if c.err == nil {
		c.err = err
		close(c.ended)
	}
}

func (c *modelCall) Send(r *pb.ProxyRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	switch r := r.GetRequest().(type) {
	case *pb.ProxyRequest_Register:
		if c.call != nil {
			c.call.end(proxies.ErrTakenOver)
		}
		c.call, c.facts = c, r.Register.GetFacts()
		c.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_Registered{Registered: &pb.ProxyRegistered{SessionId: r.Register.GetSessionId()}}})
		for _, i := range c.inputs[c.taken:] {
			c.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_Input{Input: i}})
		}
		for _, decision := range c.decisions {
			c.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_Decision{Decision: decision}})
		}
	case *pb.ProxyRequest_Output:
		c.store(r.Output)
	case *pb.ProxyRequest_Asked:
		for _, a := range c.asked {
			if a.GetRequestId() == r.Asked.GetRequestId() {
				return nil
			}
		}
		c.asked = append(c.asked, r.Asked)
	case *pb.ProxyRequest_InputTaken:
		c.taken = max(c.taken, r.InputTaken.GetSeq())
	case *pb.ProxyRequest_DecisionTaken:
		c.decisions = nil
	case *pb.ProxyRequest_Update:
		c.facts = r.Update
	}
	c.change()
	return nil
}

// store takes a line, once.
func (c *modelCall) store(o *pb.ProxyOutput) {
	switch {
	case o.Seq == nil:
		c.lines = append(c.lines, o.GetLine())
		return
	case o.GetSeq() == c.next:
		c.lines = append(c.lines, o.GetLine())
		c.next++
	case o.GetSeq() > c.next:
		c.end(errors.New("a line is missing"))
		return
	case !bytes.Equal(o.GetLine(), c.lines[o.GetSeq()]):
		c.end(errors.New("another line under a number"))
		return
	}
	c.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_OutputTaken{OutputTaken: &pb.ProxyOutputTaken{Seq: o.GetSeq()}}})
}

func (c *modelCall) Recv() (*pb.ProxyEvent, error) {
	for {
		c.mu.Lock()
		if len(c.out) > 0 && c.err == nil {
			e := c.out[0]
			c.out = c.out[1:]
			c.mu.Unlock()
			return e, nil
		}
		c.mu.Unlock()
		select {
		case <-c.more:
		case <-c.ended:
			return nil, c.err
		case <-c.ctx.Done():
			return nil, context.Canceled
		}
	}
}
