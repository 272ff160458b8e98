package grpcapi

import (
	"testing"

	"google.golang.org/grpc"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// attachedAs opens a stream with a token and returns its first event.
func attachedAs(t *testing.T, o Options, rights messages.Rights, start *pb.StartConversation) (*fakeAsker, *pb.AgentEvent) {
	t.Helper()
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "t", Rights: rights})
	asker := &fakeAsker{stream: newFakeStream(), answer: func(r messages.Request) (messages.Reply, error) {
		if m, ok := r.(messages.StartSession); ok {
			return messages.SessionStarted{Created: m.Session != sessionA}, nil
		}
		return nil, nil
	}}
	asker.stream.batches <- []messages.Event{textEvent(t, 0, "greeting")}
	o.Asker, o.Tokens = asker, tokens
	_, dial := serveTCP(t, o)
	stream := must[grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]](t)(pb.NewAgentServiceClient(dial()).Converse(bearing(t, "c", "t")))
	if err := stream.Send(startRequest(start)); err != nil {
		t.Fatal(err)
	}
	first := must[*pb.AgentEvent](t)(stream.Recv())
	for e := first; e.GetNotice() == nil && e.GetTextDelta() == nil && e.GetError() == nil; {
		e = must[*pb.AgentEvent](t)(stream.Recv())
	}
	return asker, first
}

func newSession(environment map[string]string) *pb.StartConversation {
	return &pb.StartConversation{WorkingDirectory: "/", Environment: environment}
}

// Over TCP a client's environment is dropped unless the settings admit it, and then it needs the right to approve.
func TestEnvironmentOverTCP(t *testing.T) {
	path := map[string]string{"PATH": "/evil"}
	for name, c := range map[string]struct {
		configured bool
		rights     messages.Rights
		handed     bool   // the environment reaches the session
		code       string // of the error
	}{
		"control":              {false, messages.MayView | messages.MayControl, false, ""},
		"everything":           {false, messages.MayEverything, false, ""},
		"configured, control":  {true, messages.MayView | messages.MayControl, false, "PERMISSION_DENIED"},
		"configured, approves": {true, messages.MayView | messages.MayControl | messages.MayApprove, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asker, first := attachedAs(t, Options{TCP: auth.TCPOptions{Environment: c.configured}}, c.rights, newSession(path))
			if first.GetError().GetCode() != c.code {
				t.Errorf("the client gets %v", first)
			}
			var started *messages.StartSession
			for _, m := range asker.saw() {
				if m, ok := m.(messages.StartSession); ok {
					started = &m
				}
			}
			if (started != nil) != (c.code == "") {
				t.Fatalf("asked: %v", asker.saw())
			}
			if started != nil && (len(started.Environment) > 0) != c.handed {
				t.Errorf("the session is given %v", started.Environment)
			}
		})
	}
}

func TestEnvironmentIsIgnoredAloud(t *testing.T) {
	rights := messages.MayView | messages.MayControl
	told := func(e *pb.AgentEvent) bool {
		return e.GetNotice().GetCode() == "ENVIRONMENT_IGNORED" && e.GetSequence() == 0
	}
	env := map[string]string{"PATH": "/evil"}
	for name, c := range map[string]struct {
		start *pb.StartConversation
		want  bool
	}{
		"new":    {newSession(env), true},
		"none":   {newSession(nil), false},
		"exists": {&pb.StartConversation{SessionId: sessionA, Environment: env}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := noticed(t, rights, c.start, told); got != c.want {
				t.Errorf("told: %v", got)
			}
		})
	}
}

// noticed reads a stream until it has its session's event and the notices around it.
func noticed(t *testing.T, rights messages.Rights, start *pb.StartConversation, told func(*pb.AgentEvent) bool) bool {
	t.Helper()
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "t", Rights: rights})
	asker := &fakeAsker{stream: newFakeStream(), answer: func(r messages.Request) (messages.Reply, error) {
		if m, ok := r.(messages.StartSession); ok {
			return messages.SessionStarted{Created: m.Session != sessionA}, nil
		}
		return nil, nil
	}}
	_, dial := serveTCP(t, Options{Asker: asker, Tokens: tokens})
	stream := must[grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]](t)(pb.NewAgentServiceClient(dial()).Converse(bearing(t, "c", "t")))
	for _, r := range []*pb.AgentRequest{startRequest(start), {}} { // the second is answered with an error, after the notice
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	for {
		e := must[*pb.AgentEvent](t)(stream.Recv())
		if told(e) {
			return true
		}
		if e.GetError() != nil {
			return false
		}
	}
}

// A caller without the right to control attaches as an observer.
func TestWithoutControlOneObserves(t *testing.T) {
	for name, c := range map[string]struct {
		rights messages.Rights
		wish   bool
		want   bool
	}{
		"approve":                    {messages.MayView | messages.MayApprove, false, true},
		"approve, as observer":       {messages.MayView | messages.MayApprove, true, true},
		"control":                    {messages.MayView | messages.MayControl, false, false},
		"control, as observer":       {messages.MayView | messages.MayControl, true, true},
		"everything":                 {messages.MayEverything, false, false},
		"everything, as an observer": {messages.MayEverything, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			asker, first := attachedAs(t, Options{}, c.rights, &pb.StartConversation{SessionId: sessionA, Observer: c.wish})
			attached := asker.sawAttach()
			if len(attached) != 1 || attached[0].Observer != c.want {
				t.Errorf("attached %+v, got %v", attached, first)
			}
		})
	}
}
