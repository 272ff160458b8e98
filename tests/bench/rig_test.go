//go:build linux

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// textSize is how long the text of a delta is. The line around it has about
// 300 bytes, as Claude Code's have.
const textSize = 100

// patience is how long any stream may take.
const patience = 2 * time.Minute

// load is what agents and clients do. Every client watches every session. Each
// client has a connection of its own; a single one has one per session.
type load struct {
	sessions, clients int
	lines             int // of each agent
	rate              int // of each agent, a second; 0 = as fast as it can
}

func (l load) prompt() string {
	if l.rate == 0 {
		return fmt.Sprintf("flood:%d:%d", l.lines, textSize)
	}
	return fmt.Sprintf("pace:%d:%d:%d", l.lines, l.rate, textSize)
}

// shortened is a load of a tenth, for `go test -short`.
func (l load) shortened() load {
	if testing.Short() {
		l.lines = max(l.lines/10, 1)
	}
	return l
}

// rig is a daemon with warm agents and attached clients.
type rig struct {
	testing.TB
	load    load
	world   *kit.World
	daemon  *kit.Daemon
	streams []*stream // first all of the first client, who does the talking
}

// stream is one client's view of one session.
type stream struct {
	grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]
	reader
	session string
}

// newRig starts a daemon, a session with an agent for each, and the clients.
func newRig(tb testing.TB, binary string, l load, env ...string) *rig {
	tb.Helper()
	w, err := kit.NewWorld(binary, binaries.agent, append(env, strings.Fields(os.Getenv(envMore))...)...)
	if err != nil {
		tb.Fatal(err)
	}
	r := &rig{TB: tb, load: l, world: w}
	tb.Cleanup(r.end)
	if r.daemon, err = w.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	ids := make([]string, l.sessions)
	for i := range ids {
		ids[i] = uuid.NewString()
	}
	for c := range l.clients {
		var conn *grpc.ClientConn
		for i, id := range ids {
			if conn == nil || l.clients == 1 {
				conn = r.dial()
			}
			r.attach(conn, c, id)
			if c == 0 { // an agent that has spoken is warm
				r.say(r.streams[i], load{lines: 1}.prompt())
			}
		}
		if c == 0 {
			r.turns(1)
		}
	}
	return r
}

func (r *rig) end() {
	if r.daemon != nil {
		if _, err := r.daemon.Stop(); err != nil {
			r.Error(err)
		}
		if r.Failed() {
			r.Logf("the daemon's log:\n%s", r.daemon.Log())
		}
	}
	r.world.End()
	if err := r.world.Remove(); err != nil {
		r.Error(err)
	}
}

func (r *rig) dial() *grpc.ClientConn {
	r.Helper()
	conn, err := dial(r.world.Socket())
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { conn.Close() })
	return conn
}

func (r *rig) attach(conn *grpc.ClientConn, client int, session string) {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.Cleanup(cancel)
	ctx = metadata.AppendToOutgoingContext(ctx, "x-client-id", fmt.Sprint("client-", client))
	s, err := pb.NewAgentServiceClient(conn).Converse(ctx)
	if err == nil {
		err = s.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{
			SessionId: session, WorkingDirectory: r.world.Project, History: pb.HistoryPolicy_HISTORY_POLICY_NONE, Observer: client > 0,
		}}})
	}
	if err == nil {
		err = s.RecvMsg(&received{}) // the snapshot: it is attached
	}
	if err != nil {
		r.Fatal(err)
	}
	r.streams = append(r.streams, &stream{BidiStreamingClient: s, session: session})
}

func (r *rig) say(s *stream, text string) {
	r.Helper()
	err := s.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, IdempotencyKey: uuid.NewString()}}})
	if err != nil {
		r.Fatal(err)
	}
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
	if err := errors.Join(errs...); err != nil {
		r.Fatal(err)
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
