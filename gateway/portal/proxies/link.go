package proxies

import (
	"context"
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
