package handler

import (
	"context"
	"errors"
	"testing"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// askerFunc is an [Answerer].
type askerFunc func(ctx context.Context, r messages.Request) (messages.Reply, error)

func (f askerFunc) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	return f(ctx, r)
}

func (f askerFunc) Attach(context.Context, messages.Attach) (Stream, messages.Attached, error) {
	return nil, messages.Attached{}, errors.New("not here")
}

func TestUnary(t *testing.T) {
	done := askerFunc(func(context.Context, messages.Request) (messages.Reply, error) { return messages.Done{}, nil })
	if out, err := Unary(t.Context(), done, messages.Shutdown{}, nil, Empty[pb.ShutdownResponse]); out == nil || err != nil {
		t.Errorf("%v, %v", out, err)
	}
	asked := false
	never := askerFunc(func(context.Context, messages.Request) (messages.Reply, error) {
		asked = true
		return messages.Done{}, nil
	})
	malformed := errors.New("malformed")
	if out, err := Unary(t.Context(), never, messages.Shutdown{}, malformed, Empty[pb.ShutdownResponse]); out != nil || !errors.Is(err, malformed) || asked {
		t.Errorf("malformed: %v, %v, asked: %v", out, err, asked)
	}
	refused := askerFunc(func(context.Context, messages.Request) (messages.Reply, error) { return nil, malformed })
	if out, err := Unary(t.Context(), refused, messages.Shutdown{}, nil, Empty[pb.ShutdownResponse]); out != nil || !errors.Is(err, malformed) {
		t.Errorf("refused: %v, %v", out, err)
	}
	if _, err := Ask[messages.HealthView](t.Context(), done, messages.GetHealth{}); messages.KindOf(err) != messages.Internal {
		t.Errorf("another reply: %v", err)
	}
}

// A patient call ends with an error when the daemon shuts down. An answer that has arrived before is returned.
func TestPatient(t *testing.T) {
	draining := make(chan struct{})
	started := make(chan struct{})
	p := Patient{Draining: draining, Asker: askerFunc(func(ctx context.Context, _ messages.Request) (messages.Reply, error) {
		close(started)
		<-ctx.Done()
		return nil, &messages.Error{Op: "ask", Kind: messages.Canceled, Err: ctx.Err()}
	})}
	go func() {
		<-started
		close(draining)
	}()
	_, err := p.Ask(t.Context(), messages.GetHealth{})
	var known *messages.Error
	if !errors.As(err, &known) || known.Code != messages.DaemonStopping {
		t.Errorf("%v", err)
	}
	p.Asker = askerFunc(func(context.Context, messages.Request) (messages.Reply, error) { return messages.Done{}, nil })
	if answer, err := p.Ask(t.Context(), messages.GetHealth{}); answer != (messages.Done{}) || err != nil {
		t.Errorf("%v, %v", answer, err)
	}
}

// A caller that cancels gets its own error.
func TestPatientCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := Patient{Draining: make(chan struct{}), Asker: askerFunc(func(ctx context.Context, _ messages.Request) (messages.Reply, error) {
		cancel()
		<-ctx.Done()
		return nil, &messages.Error{Op: "ask", Kind: messages.Canceled, Err: ctx.Err()}
	})}
	if _, err := p.Ask(ctx, messages.GetHealth{}); messages.KindOf(err) != messages.Canceled {
		t.Errorf("%v", err)
	}
}
