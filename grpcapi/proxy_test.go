package grpcapi

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// proxiedSession answers as a proxied session does, and keeps the sink of its connection.
type proxiedSession struct {
	mu      sync.Mutex
	connect messages.ConnectProxy
	lines   int
	batches int
	gone    chan messages.DisconnectProxy
	take    func(messages.TakeProxyFrames) error // nil = accept everything
}

func (s *proxiedSession) answer(r messages.Request) (messages.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r := r.(type) {
	case messages.ConnectProxy:
		s.connect = r
		return messages.ProxyConnected{}, nil
	case messages.TakeProxyFrames:
		if s.take != nil {
			if err := s.take(r); err != nil {
				return nil, err
			}
		}
		s.batches++
		var taken messages.ProxyFramesTaken
		for _, f := range r.Frames {
			if line, ok := f.(messages.ProxyLine); ok && line.Counted {
				s.lines++
				taken.Seq, taken.Counted = line.Seq, true
			}
		}
		return taken, nil
	case messages.DisconnectProxy:
		s.gone <- r
		return messages.Done{}, nil
	}
	return nil, nil
}

// registering opens a call and registers.
func registering(t *testing.T, s *proxiedSession) pb.ProxyService_ConnectClient {
	t.Helper()
	s.gone = make(chan messages.DisconnectProxy, 1)
	conn, _ := serve(t, &fakeAsker{answer: s.answer})
	call := must[pb.ProxyService_ConnectClient](t)(pb.NewProxyServiceClient(conn).Connect(t.Context()))
	send(t, call, &pb.ProxyRequest{Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{
		SessionId: strings.ToUpper(sessionA), Name: "work", Hostname: "host", Abilities: &pb.ProxyAbilities{Interrupts: true},
	}}})
	if e := must[*pb.ProxyEvent](t)(call.Recv()); e.GetRegistered().GetSessionId() != sessionA {
		t.Fatalf("the first event is %v", e)
	}
	return call
}

func send(t *testing.T, call pb.ProxyService_ConnectClient, r *pb.ProxyRequest) {
	t.Helper()
	if err := call.Send(r); err != nil {
		t.Fatal(err)
	}
}

func proxyOutput(seq uint64, line string) *pb.ProxyRequest {
	return &pb.ProxyRequest{Request: &pb.ProxyRequest_Output{Output: &pb.ProxyOutput{Seq: &seq, Line: []byte(line)}}}
}

// Frames of a proxy reach the session in batches, and events of the session reach the proxy, in order. The end of the
// call reaches the session.
func TestProxyCall(t *testing.T) {
	s := &proxiedSession{}
	call := registering(t, s)
	if m := s.connect; m.Session != sessionA || m.Agent != "claude" || m.Host != "host" || !m.Abilities.Interrupts || m.Abilities.Terminates {
		t.Errorf("the session is told %+v", m)
	}
	const lines = 5000
	for n := range uint64(lines) {
		send(t, call, proxyOutput(n, fmt.Sprintf(`{"type":"x","n":%d}`, n)))
	}
	for seq := uint64(0); seq != lines-1; {
		e := must[*pb.ProxyEvent](t)(call.Recv())
		if next := e.GetOutputTaken(); next == nil || next.GetSeq() < seq {
			t.Fatalf("behind %d comes %v", seq, e)
		}
		seq = e.GetOutputTaken().GetSeq()
	}
	s.mu.Lock()
	if s.lines != lines || s.batches >= lines {
		t.Errorf("%d lines in %d batches", s.lines, s.batches)
	}
	sink := s.connect.Sink
	s.mu.Unlock()
	sink.Send(messages.ProxyInput{Number: 1, Content: "hello", Key: keyA})
	sink.Send(messages.ProxyDecision{Request: "r", Allow: true, Input: []byte(`{}`)})
	sink.Send(messages.ProxyInterrupt{})
	sink.Send(messages.ProxyTerminate{Reason: "over"})
	sink.Close(nil)
	for _, want := range []string{"hello", "allow:true", "interrupt", "over"} {
		if e := must[*pb.ProxyEvent](t)(call.Recv()); !strings.Contains(e.String(), want) {
			t.Errorf("%v is not about %s", e, want)
		}
	}
	if _, err := call.Recv(); status.Code(err) != codes.Unknown && err.Error() != "EOF" {
		t.Errorf("the call ends with %v", err)
	}
	if gone := <-s.gone; gone.Connection != s.connect.Connection {
		t.Errorf("the session is told of %+v", gone)
	}
}

// An invalid request ends the call with a reason, and the session is notified of the end.
func TestProxyCallIsRefused(t *testing.T) {
	aborted := messages.Errorf("take output of a proxy", messages.Aborted, "another")
	for _, c := range []struct {
		name string
		send *pb.ProxyRequest
		take func(messages.TakeProxyFrames) error
		want codes.Code
	}{
		{"a second registration", &pb.ProxyRequest{Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{}}}, nil, codes.InvalidArgument},
		{"an empty request", &pb.ProxyRequest{}, nil, codes.InvalidArgument},
		{"a request without a tool", &pb.ProxyRequest{Request: &pb.ProxyRequest_Asked{Asked: &pb.ProxyAsked{RequestId: "r", Input: []byte("{}")}}}, nil, codes.InvalidArgument},
		{"an input that is no object", &pb.ProxyRequest{Request: &pb.ProxyRequest_Asked{Asked: &pb.ProxyAsked{RequestId: "r", ToolName: "Bash", Input: []byte("[]")}}}, nil, codes.InvalidArgument},
		{"no input", &pb.ProxyRequest{Request: &pb.ProxyRequest_Asked{Asked: &pb.ProxyAsked{RequestId: "r", ToolName: "Bash"}}}, nil, codes.InvalidArgument},
		{"a line of an old connection", proxyOutput(0, "{}"), func(messages.TakeProxyFrames) error { return aborted }, codes.Aborted},
	} {
		s := &proxiedSession{take: c.take}
		call := registering(t, s)
		send(t, call, c.send)
		if _, err := call.Recv(); status.Code(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
		<-s.gone
	}
}

func TestProxyRegistrationIsRefused(t *testing.T) {
	conn, _ := serve(t, &fakeAsker{answer: (&proxiedSession{gone: make(chan messages.DisconnectProxy, 9)}).answer})
	for name, r := range map[string]*pb.ProxyRequest{
		"no registration":    proxyOutput(0, "{}"),
		"no session":         {Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{}}},
		"not a UUID":         {Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{SessionId: "x"}}},
		"an unknown agent":   {Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{SessionId: sessionA, AgentType: "x"}}},
		"a long branch":      {Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{SessionId: sessionA, Facts: &pb.ProxyUpdate{GitBranch: strings.Repeat("x", 5000)}}}},
		"an unusable former": {Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{SessionId: sessionA, ReplacesSessionId: "x"}}},
	} {
		call := must[pb.ProxyService_ConnectClient](t)(pb.NewProxyServiceClient(conn).Connect(t.Context()))
		send(t, call, r)
		if _, err := call.Recv(); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A line of 20 MiB is accepted.
func TestProxyLongLine(t *testing.T) {
	s := &proxiedSession{}
	call := registering(t, s)
	send(t, call, proxyOutput(7, strings.Repeat("x", 20<<20)))
	if e := must[*pb.ProxyEvent](t)(call.Recv()); e.GetOutputTaken().GetSeq() != 7 {
		t.Errorf("%v", e)
	}
}

// A proxy that does not read is disconnected, and loses nothing else.
func TestProxyDoesNotRead(t *testing.T) {
	s := &proxiedSession{}
	call := registering(t, s)
	s.mu.Lock()
	sink := s.connect.Sink
	s.mu.Unlock()
	const sent = 128
	for n := range uint64(sent) {
		sink.Send(messages.ProxyInput{Number: n + 1, Content: strings.Repeat("x", 1<<20)})
	}
	last := uint64(0)
	for {
		e, err := call.Recv()
		if err != nil {
			if status.Code(err) != codes.ResourceExhausted {
				t.Errorf("the call ends with %v", err)
			}
			break
		}
		if last++; e.GetInput().GetSeq() != last {
			t.Fatalf("input %d comes behind %d", e.GetInput().GetSeq(), last-1)
		}
	}
	if last == sent {
		t.Error("everything was kept for it")
	}
	<-s.gone
}

// A session belongs to the person of the token that registers it. A token that the daemon's user has made for proxies
// belongs to the user; any other token without a person owns its sessions itself.
func TestProxyOwner(t *testing.T) {
	tokens, s := &fakeTokens{}, &proxiedSession{gone: make(chan messages.DisconnectProxy, 1)}
	tokens.Create(messages.Token{Name: "desk", Rights: messages.MayView | messages.MayControl})
	tokens.Sign(messages.Token{Title: "phone", Rights: messages.MayProxy, Person: "ann"})
	tokens.Sign(messages.Token{Title: "laptop", Rights: messages.MayProxy})
	conn, _ := serveCaller(t, Options{Asker: &fakeAsker{answer: s.answer}, Tokens: tokens}, auth.Unrestricted)
	for token, owner := range map[string]string{"desk": "desk", "phone": "ann", "laptop": ""} {
		call := must[pb.ProxyService_ConnectClient](t)(pb.NewProxyServiceClient(conn).Connect(presenting(t, "secret-"+token)))
		send(t, call, &pb.ProxyRequest{Request: &pb.ProxyRequest_Register{Register: &pb.ProxyRegister{SessionId: sessionA, Name: "work"}}})
		must[*pb.ProxyEvent](t)(call.Recv())
		s.mu.Lock()
		if s.connect.Owner != owner || s.connect.Token != token {
			t.Errorf("%s: owner %q, token %q", token, s.connect.Owner, s.connect.Token)
		}
		s.mu.Unlock()
		if err := call.CloseSend(); err != nil {
			t.Fatal(err)
		}
		<-s.gone
	}
}
