//go:build linux

package bench

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "betcode/proto/betcode/v1"
)

// stalledClients is how many clients stop reading. Half of them still answer pings,
// as a program does that is busy; of the others nothing comes at all, as of one that
// was stopped.
const stalledClients = 100

// stalledBudget is the memory for each client, in KB: its outbox, and the buffers of the transport.
// The collector lets the heap double before it runs.
const stalledBudget = 1024 + 64

// BenchmarkStalled measures the cost of clients that stop reading while their session goes on, and
// their effect on ten others. Each is far behind, so its events are read from the journal
// separately, and new events are many times its budget.
func BenchmarkStalled(b *testing.B) {
	l := load{sessions: 11, clients: 1, apart: 1, work: work{lines: 150, rate: 30}}.shortened()
	more := work{own: "flood:4000:8000"}
	for b.Loop() {
		r := newRig(b, binaries.betcode, l)
		r.play(l.beside(more)) // the history that they are given
		var alone, among outcome
		before := r.peak(func() { alone = r.play(l.beside(more)) })
		after := r.peak(func() {
			stalled := r.streams[l.sessions-1].session
			for i := range stalledClients {
				r.stall(i, stalled)
			}
			among = r.play(l.beside(more))
			r.settle()
		})
		report(b, map[string]float64{
			unitGrown:   megabytes(after - before),
			unitEach:    float64(after-before) / 1024 / stalledClients,
			unitP99:     millis(quantile(among.delays, 0.99)),
			unitOfQuiet: float64(quantile(among.delays, 0.99)) / float64(quantile(alone.delays, 0.99)),
			unitLagging: float64(among.lagging),
		})
	}
}

// stall attaches a client that wants the whole history and reads none of it.
func (r *rig) stall(i int, session string) {
	r.Helper()
	line := &deafLine{closed: make(chan struct{})}
	conn, err := dial(r.world.Socket(), grpc.WithContextDialer(func(ctx context.Context, address string) (_ net.Conn, err error) {
		line.Conn, err = (&net.Dialer{}).DialContext(ctx, "unix", address[len("unix:"):])
		return line, err
	}))
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { conn.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.Cleanup(cancel)
	if _, err := converse(ctx, conn, i+1, &pb.StartConversation{SessionId: session, Observer: true}); err != nil {
		r.Fatal(err)
	}
	line.deaf.Store(i%2 == 1)
}

// settle waits until the daemon has nothing to do.
func (r *rig) settle() {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		before := r.usage()
		time.Sleep(500 * time.Millisecond)
		if r.usage().since(before).cpu <= tick {
			return
		}
	}
}

// deafLine is a connection that is not read any more once it is deaf.
type deafLine struct {
	net.Conn

	deaf   atomic.Bool
	closed chan struct{}
	once   sync.Once
}

// Read implements net.Conn.
func (l *deafLine) Read(b []byte) (int, error) {
	if l.deaf.Load() {
		<-l.closed
	}
	return l.Conn.Read(b)
}

// Close implements net.Conn.
func (l *deafLine) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Conn.Close()
}
