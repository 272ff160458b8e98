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

	"google.golang.org/grpc"

	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
)

// stream is one client's view of one session.
type stream struct {
	grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]
	reader
	session string
}

// turns receives a turn of so many deltas on every stream.
func (r *rig) turns(deltas int) []tally {
	r.Helper()
	tallies, errs := make([]tally, len(r.streams)), make([]error, len(r.streams))
	var group sync.WaitGroup
	for i, s := range r.streams {
		group.Go(func() { tallies[i], errs[i] = s.turn(deltas) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			r.Fatal(err) // the others will say the same
		}
	}
	return tallies
}

// turn receives a turn of so many deltas.
func (s *stream) turn(deltas int) (tally, error) {
	t, err := s.read(s)
	if err == nil && t.deltas != deltas {
		err = fmt.Errorf("%d deltas of %d", t.deltas, deltas)
	}
	return t, err
}

// outcome is what a turn of every session came to.
type outcome struct {
	took    time.Duration // until the last client had everything
	events  int           // each once, however many clients got it
	bytes   int64         // of those
	batches int
	delays  []int64
	daemon  usage
	journal persistence.Stats // of a linked daemon
}

// run has every agent do its work and waits until every client has seen it.
func (r *rig) run() (o outcome) {
	r.Helper()
	for _, s := range r.streams {
		s.delays = r.load.rate > 0
	}
	journal, before, began := r.counters(), r.usage(), time.Now()
	for _, s := range r.streams[:r.load.sessions] {
		r.say(s, r.load.prompt())
	}
	tallies := r.turns(r.load.lines)
	o.daemon = r.usage().since(before)
	after := r.counters()
	o.journal = persistence.Stats{
		Commits: after.Commits - journal.Commits, Appends: after.Appends - journal.Appends,
		EventBytes: after.EventBytes - journal.EventBytes, WrittenBytes: after.WrittenBytes - journal.WrittenBytes,
	}
	for i, t := range tallies {
		o.took = max(o.took, t.ended.Sub(began))
		o.delays = append(o.delays, t.delays...)
		if i < r.load.sessions {
			o.events, o.bytes, o.batches = o.events+t.events, o.bytes+t.bytes, o.batches+t.batches
		}
	}
	if pace := r.load.pace(); o.took > pace+pace/4+time.Second {
		r.Logf("the load took %v instead of %v: the delays are those of a queue", o.took, pace)
	}
	return o
}

func (r *rig) usage() usage {
	r.Helper()
	u, err := usageOf(r.daemon.PID())
	if err != nil {
		r.Fatal(err)
	}
	return u
}

// counters asks a linked daemon for what its journal has counted.
func (r *rig) counters() (st persistence.Stats) {
	r.Helper()
	if r.world.Binary != binaries.linked {
		return st
	}
	path := filepath.Join(r.world.Root, statsFile)
	if err := syscall.Kill(r.daemon.PID(), syscall.SIGUSR1); err != nil {
		r.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		content, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(content, &st)
		}
		if err == nil {
			os.Remove(path)
			return st
		}
		if time.Now().After(deadline) {
			r.Fatal(err)
		}
	}
}
