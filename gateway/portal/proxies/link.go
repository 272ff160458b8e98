package proxies

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

const (
	// daemonTimeout is how long a proxy is kept while the daemon is away. Proxies consider a
	// Register without an answer within 10 seconds as accepted, or give up.
	daemonTimeout = 8 * time.Second
	// roomTimeout is how long a proxy waits for room in pending.
	roomTimeout = 30 * time.Second

	firstRetry = 50 * time.Millisecond
	lastRetry  = time.Second
)

// link sends the requests of one proxy to the daemon and receives the daemon's events. When the
// daemon ends, it registers at the next one and resends requests that may not be stored.
type link struct {
	daemon Daemon
	free   func(bytes int) // releases budget

	mu       sync.Mutex
	register *pb.ProxyRegister // has the newest facts; see again
	pending  pending
	more     chan struct{} // signals requests to send
	room     chan struct{} // signals room in pending
}

func newLink(d Daemon, r *pb.ProxyRegister, free func(int)) *link {
	return &link{daemon: d, register: r, free: free, more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

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

// ending is a call with a function that ends it.
type ending struct {
	Call
	end context.CancelFunc
}

// run sends requests and receives events until ctx ends, the daemon ends the call permanently, or it
// is away for too long. each handles an event.
func (l *link) run(ctx context.Context, call Call, each func(*pb.ProxyEvent)) error {
	for {
		err := l.carry(ctx, call, each)
		if ctx.Err() != nil || !away(err) {
			return err
		}
		l.again()
		if call, _, err = l.open(ctx); err != nil {
			return err
		}
	}
}

// again changes the registration to that of a proxy that has stayed connected. The next daemon may then repeat a
// decision that may have arrived, because the translator drops duplicates; proxies of G1 must not get one twice.
func (l *link) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.register = proto.CloneOf(l.register)
	l.register.Abilities.IgnoresLateDecisions = true
}

// carry serves one call and ends it.
func (l *link) carry(ctx context.Context, call Call, each func(*pb.ProxyEvent)) error {
	l.mu.Lock()
	l.pending.rewind()
	l.mu.Unlock()
	wake(l.more)
	ctx, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	sending.Go(func() { l.sendAll(ctx, call) })
	defer func() {
		cancel()
		if e, ok := call.(ending); ok {
			e.end()
		}
		sending.Wait()
	}()
	for {
		e, err := call.Recv()
		if err != nil {
			return err
		}
		l.settle(e)
		each(e)
	}
}

// sendAll sends what is pending until ctx or the call ends.
func (l *link) sendAll(ctx context.Context, call Call) {
	for {
		l.mu.Lock()
		r, freed := l.pending.next()
		l.mu.Unlock()
		l.freed(freed)
		if r != nil {
			if call.Send(r) != nil {
				return
			}
			continue
		}
		select {
		case <-l.more:
		case <-ctx.Done():
			return
		}
	}
}

// settle drops the requests that an event proves to be stored.
func (l *link) settle(e *pb.ProxyEvent) {
	l.mu.Lock()
	freed := 0
	if t := e.GetOutputTaken(); t != nil {
		freed = l.pending.taken(t.GetSeq())
	}
	if d := e.GetDecision(); d != nil {
		freed = l.pending.decided(d.GetRequestId())
	}
	l.mu.Unlock()
	l.freed(freed)
	wake(l.room)
}

// send queues a request, which holds size bytes of the budget. It blocks while pending is full.
func (l *link) send(ctx context.Context, r *pb.ProxyRequest, size int) error {
	var late <-chan time.Time
	for {
		l.mu.Lock()
		full := l.pending.full(size)
		if !full {
			l.pending.add(entry{r, size})
			if facts := r.GetUpdate(); facts != nil {
				l.register = proto.CloneOf(l.register)
				l.register.Facts = facts
			}
		}
		l.mu.Unlock()
		if !full {
			wake(l.more)
			return nil
		}
		if late == nil {
			timer := time.NewTimer(roomTimeout)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-l.room:
		case <-late:
			return errLate
		case <-ctx.Done():
			return context.Canceled
		}
	}
}

// close drops all pending requests.
func (l *link) close() {
	l.mu.Lock()
	freed := l.pending.bytes
	l.pending = pending{}
	l.mu.Unlock()
	l.free(freed)
}

func (l *link) freed(bytes int) {
	if bytes > 0 {
		l.free(bytes)
		wake(l.room)
	}
}

// wake signals a channel of capacity 1.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
