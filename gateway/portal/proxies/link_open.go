package proxies

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// open registers at the daemon, and waits up to daemonTimeout for a daemon that is away. The call ends with ctx.
func (l *link) open(ctx context.Context) (call Call, resumed bool, err error) {
	late := time.NewTimer(daemonTimeout)
	defer late.Stop()
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		if call, resumed, err = l.try(ctx, late.C); err == nil || !away(err) || errors.Is(err, errLate) {
			return call, resumed, err
		}
		select {
		case <-time.After(pause):
		case <-late.C:
			return nil, false, err
		case <-ctx.Done():
			return nil, false, context.Canceled
		}
	}
}

var errLate = errors.New("the daemon does not answer")

// try registers once.
func (l *link) try(ctx context.Context, late <-chan time.Time) (Call, bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	type answer struct {
		call Call
		r    *pb.ProxyRegistered
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		call, err := l.daemon.Proxy(ctx)
		if err != nil {
			answered <- answer{err: err}
			return
		}
		l.mu.Lock()
		register := l.register
		l.mu.Unlock()
		_ = call.Send(&pb.ProxyRequest{Request: &pb.ProxyRequest_Register{Register: register}}) // Recv returns the reason
		e, err := call.Recv()
		if err == nil && e.GetRegistered() == nil {
			err = fmt.Errorf("%w: it answered a registration with %T", ErrInvalid, e.GetEvent())
		}
		answered <- answer{call, e.GetRegistered(), err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			cancel()
			return nil, false, a.err
		}
		return ending{a.call, cancel}, a.r.GetResumed(), nil
	case <-late:
	case <-ctx.Done():
	}
	cancel()
	if a := <-answered; a.err != nil && !errors.Is(a.err, context.Canceled) {
		return nil, false, fmt.Errorf("%w: %w", errLate, a.err)
	}
	return nil, false, errLate
}

// again changes the registration to that of a proxy that has stayed connected. The next daemon may then repeat a
// decision that may have arrived, because the translator drops duplicates; proxies of G1 must not get one twice.
func (l *link) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.register = proto.CloneOf(l.register)
	l.register.Abilities.IgnoresLateDecisions = true
}
