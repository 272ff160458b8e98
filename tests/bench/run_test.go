//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"

	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
)

// stream is one client's view of one session, here or, with a guest, elsewhere.
type stream struct {
	grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]
	reader
	session string
	guest   *guest
}

// say sends the prompt that starts the work.
func (s *stream) say(w work) error {
	if s.guest != nil {
		return s.guest.begin(w)
	}
	return s.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{
		Message: &pb.UserMessage{Content: w.prompt(), IdempotencyKey: uuid.NewString()},
	}})
}

// turns receives a turn on every stream whose session has work.
func (r *rig) turns(works func(session int) work) []tally {
	r.Helper()
	tallies, errs := make([]tally, len(r.streams)), make([]error, len(r.streams))
	var group sync.WaitGroup
	for i, s := range r.streams {
		if w := works(i % r.load.sessions); !w.none() {
			group.Go(func() { tallies[i], errs[i] = s.turn(w) })
		}
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			r.Fatal(err) // the other streams fail in the same way
		}
	}
	return tallies
}

// turn receives a turn of work.
func (s *stream) turn(w work) (tally, error) {
	if s.guest != nil {
		return s.guest.end()
	}
	s.delays = w.rate > 0
	t, err := s.read(s)
	if err == nil && w.own == "" && t.deltas != w.lines {
		err = fmt.Errorf("%d deltas of %d", t.deltas, w.lines)
	}
	return t, err
}

// outcome is the result of one turn of every session.
type outcome struct {
	took    time.Duration // until the last client had everything
	events  int           // each once, however many clients got it
	bytes   int64         // of those
	batches int
	lagging int // notices, of all clients
	delays  []int64
	daemon  usage
	clients usage             // of this process
	journal persistence.Stats // of a linked daemon
}

// run has every agent do the load's work and waits until every client has seen
// it.
func (r *rig) run() outcome {
	r.Helper()
	o := r.play(r.load.of)
	if pace := r.load.pace(); o.took > pace+pace/4+time.Second {
		r.Logf("the load took %v instead of %v: the delays are those of a queue", o.took, pace)
	}
	return o
}

// play is run with other work for each session.
func (r *rig) play(works func(session int) work) (o outcome) {
	r.Helper()
	journal, before, own, began := r.counters(), r.usage(), r.usageOf(os.Getpid()), time.Now()
	for i, s := range r.streams[:r.load.sessions] {
		if w := works(i); !w.none() {
			r.say(s, w)
		}
	}
	tallies := r.turns(works)
	o.daemon, o.clients = r.usage().since(before), r.usageOf(os.Getpid()).since(own)
	after := r.counters()
	o.journal = persistence.Stats{
		Commits: after.Commits - journal.Commits, Appends: after.Appends - journal.Appends,
		EventBytes: after.EventBytes - journal.EventBytes, WrittenBytes: after.WrittenBytes - journal.WrittenBytes,
	}
	for i, t := range tallies {
		o.took = max(o.took, t.ended.Sub(began))
		o.delays, o.lagging = append(o.delays, t.delays...), o.lagging+t.lagging
		if i < r.load.sessions { // of the first client
			o.events, o.bytes, o.batches = o.events+t.events, o.bytes+t.bytes, o.batches+t.batches
		}
	}
	return o
}

func (r *rig) usage() usage {
	r.Helper()
	return r.usageOf(r.daemon.PID())
}

func (r *rig) usageOf(pid int) usage {
	r.Helper()
	u, err := usageOf(pid)
	if err != nil {
		r.Fatal(err)
	}
	return u
}

// peak is the most anonymous memory that the daemon had, in bytes, while something was
// done.
func (r *rig) peak(do func()) int64 { return peakOf(r.daemon.PID(), do) }

// peakOf is the same of any process.
func peakOf(pid int, do func()) (most int64) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			if u, err := usageOf(pid); err == nil {
				most = max(most, u.anon)
			}
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return most
}

// counters asks a linked daemon for what its journal has counted.
func (r *rig) counters() (c counted) {
	r.Helper()
	r.asking.Lock()
	defer r.asking.Unlock()
	if r.world.Binary != binaries.linked {
		return c
	}
	path := filepath.Join(r.world.Root, statsFile)
	if err := syscall.Kill(r.daemon.PID(), syscall.SIGUSR1); err != nil {
		r.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		content, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(content, &c)
		}
		if err == nil {
			os.Remove(path)
			return c
		}
		if time.Now().After(deadline) {
			r.Fatal(err)
		}
	}
}
