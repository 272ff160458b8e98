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
	// patience is how long a proxy is kept while the daemon is away. Proxies take a Register that is
	// not answered within 10 seconds for accepted, or give up.
	patience = 8 * time.Second
	// roomPatience is how long a proxy waits for the daemon to store what it has sent.
	roomPatience = 30 * time.Second

	firstRetry = 50 * time.Millisecond
	lastRetry  = time.Second
)

// link carries the requests of one proxy to the daemon and the daemon's events back. When the daemon
// goes away, it registers again at the next one and repeats what may not be stored.
type link struct {
	daemon Daemon
	free   func(bytes int) // gives back budget

	mu       sync.Mutex
	register *pb.ProxyRegister // has the newest facts; see again
	pending  pending
	more     chan struct{} // has a value when there may be something to send
	room     chan struct{} // has a value when pending may have become shorter
}

func newLink(d Daemon, r *pb.ProxyRegister, free func(int)) *link {
	return &link{daemon: d, register: r, free: free, more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// open registers at the daemon, and waits a while for a daemon that is away. The call ends with ctx.
func (l *link) open(ctx context.Context) (call Call, resumed bool, err error) {
	late := time.NewTimer(patience)
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
		_ = call.Send(&pb.ProxyRequest{Request: &pb.ProxyRequest_Register{Register: register}}) // Recv says why
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

// ending is a call that can be ended.
type ending struct {
	Call
	end context.CancelFunc
}

// run carries requests and events until ctx ends, the daemon ends the call for good, or it is away for
// too long. each handles an event.
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

// again changes the registration to one of a proxy that has never left: the translator does not give it a decision that it has. So
// the next daemon may send a decision that may have arrived, which proxies of G1 cannot get twice.
func (l *link) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.register = proto.CloneOf(l.register)
	l.register.Abilities.IgnoresLateDecisions = true
}

// carry serves one call. It ends the call.
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

// settle forgets what an event proves to be stored.
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

// send hands a request over, which holds size bytes of the budget. It waits while much is pending.
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
			timer := time.NewTimer(roomPatience)
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

// close forgets everything.
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

// wake puts a value into a channel that has room for one.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
