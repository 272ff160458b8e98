package kit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// ScriptedProxy is a scripted proxy: it numbers the lines of an agent that does not exist, keeps them until they are acknowledged, and
// sends these again on each new connection, as the proxies in the field do.
type ScriptedProxy struct {
	Register *pb.ProxyRegister

	mu      sync.Mutex
	next    uint64
	pending []*pb.ProxyOutput
	call    *ProxyCall
}

// ProxyCall is one connection of a proxy, whose events are collected as they come.
type ProxyCall struct {
	send   func(*pb.ProxyRequest) error
	end    func() error
	cancel context.CancelFunc

	received[*pb.ProxyEvent]
}

// NewScriptedProxy returns a proxy for a session that can do everything.
func NewScriptedProxy(session string) *ScriptedProxy {
	return &ScriptedProxy{Register: &pb.ProxyRegister{
		SessionId: session, Name: "proxied", WorkingDirectory: "/on/another/machine", Hostname: "elsewhere", ClientVersion: "2.13.0", AgentType: "claude",
		Facts:     &pb.ProxyUpdate{GitBranch: "main"},
		Abilities: &pb.ProxyAbilities{AcknowledgesFromAgent: true, IgnoresLateDecisions: true, Interrupts: true, Terminates: true},
	}}
}

// Connect registers the proxy and sends the lines that were not acknowledged.
func (p *ScriptedProxy) Connect(ctx context.Context, d *Daemon) (*ProxyCall, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := pb.NewProxyServiceClient(d.conn).Connect(ctx)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("open call: %w", err)
	}
	c := &ProxyCall{send: stream.Send, end: stream.CloseSend, cancel: cancel}
	go c.collect(func() (*pb.ProxyEvent, error) {
		e, err := stream.Recv()
		if ack := e.GetOutputTaken(); err == nil && ack != nil {
			p.taken(ack.GetSeq())
		}
		return e, err
	})
	register := proto.CloneOf(p.Register)
	if err := c.send(&pb.ProxyRequest{Request: &pb.ProxyRequest_Register{Register: register}}); err != nil {
		return nil, errors.Join(err, c.WaitEnd())
	}
	if _, err := c.Wait(func(e *pb.ProxyEvent) bool { return e.GetRegistered() != nil }); err != nil {
		cancel()
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.call = c
	for _, line := range p.pending {
		_ = c.send(&pb.ProxyRequest{Request: &pb.ProxyRequest_Output{Output: line}}) // an error ends the call, which is seen there
	}
	return c, nil
}

// Output sends a line, now or on the next connection, and returns its number.
func (p *ScriptedProxy) Output(line string) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	seq := p.next
	p.next++
	output := &pb.ProxyOutput{Seq: &seq, Line: []byte(line)}
	p.pending = append(p.pending, output)
	if p.call != nil {
		_ = p.call.send(&pb.ProxyRequest{Request: &pb.ProxyRequest_Output{Output: output}}) // as in Connect
	}
	return seq
}

// Pending returns how many lines were not acknowledged.
func (p *ScriptedProxy) Pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending)
}

// Forget deletes the state of the proxy: it counts from 0 again, and has nothing to repeat.
func (p *ScriptedProxy) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.pending = 0, nil
}

func (p *ScriptedProxy) taken(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.pending) > 0 && p.pending[0].GetSeq() <= seq {
		p.pending = p.pending[1:]
	}
}

// Ask makes a permission request of the agent.
func (c *ProxyCall) Ask(request, tool, input string) error {
	return c.send(&pb.ProxyRequest{Request: &pb.ProxyRequest_Asked{Asked: &pb.ProxyAsked{RequestId: request, ToolName: tool, Input: []byte(input)}}})
}

// TakeInput acknowledges the inputs up to a number.
func (c *ProxyCall) TakeInput(seq uint64, byAgent bool) error {
	return c.send(&pb.ProxyRequest{Request: &pb.ProxyRequest_InputTaken{InputTaken: &pb.ProxyInputTaken{Seq: seq, ByAgent: byAgent}}})
}

// TakeDecision acknowledges a decision.
func (c *ProxyCall) TakeDecision(request string) error {
	return c.send(&pb.ProxyRequest{Request: &pb.ProxyRequest_DecisionTaken{DecisionTaken: &pb.ProxyDecisionTaken{RequestId: request}}})
}

// HalfClose ends the proxy's side of the stream.
func (c *ProxyCall) HalfClose() error { return c.end() }

// Close ends the connection.
func (c *ProxyCall) Close() { c.cancel() }

// Wait returns the first matching event.
func (c *ProxyCall) Wait(wanted func(*pb.ProxyEvent) bool) (*pb.ProxyEvent, error) {
	found, _, err := c.wait(0, wanted, describeProxyEvents)
	return found, err
}

// WaitEnd waits for the end of the call and returns its error.
func (c *ProxyCall) WaitEnd() error { return c.waitEnd(describeProxyEvents) }

func describeProxyEvents(events []*pb.ProxyEvent) string { return fmt.Sprint(events) }
