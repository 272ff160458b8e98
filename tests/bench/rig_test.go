//go:build linux

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// patience is how long any stream may take.
const patience = 2 * time.Hour

// rig is a daemon with warm agents and attached clients.
type rig struct {
	testing.TB
	load    load
	world   *kit.World
	daemon  *kit.Daemon
	streams []*stream // first all of the first client, who does the talking
	asking  sync.Mutex
}

// worlds are those in use: daemons and agents outlive their clients, so that
// an interrupted benchmark must end them.
var worlds sync.Map

func endWorlds() {
	worlds.Range(func(w, _ any) bool {
		w.(*kit.World).End()
		return w.(*kit.World).Remove() == nil
	})
}

// newRig starts a daemon, a session with an agent for each, and the clients.
func newRig(tb testing.TB, binary string, l load, env ...string) *rig {
	tb.Helper()
	env = append(env, envMaxAgents+"="+strconv.Itoa(max(l.sessions, 1))) // none waits for another
	env = append(env, strings.Fields(os.Getenv(envMore))...)
	w, err := kit.NewWorld(binary, binaries.agent, env...)
	if err != nil {
		tb.Fatal(err)
	}
	r := &rig{TB: tb, load: l, world: w}
	tb.Cleanup(r.end)
	worlds.Store(w, nil)
	if l.settings != "" {
		if err := os.WriteFile(filepath.Join(w.ConfigDir(), "settings.json"), []byte(l.settings), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
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
			switch apart := i >= l.sessions-l.apart; {
			case apart:
				r.invite(c, id)
			case conn == nil || l.clients == 1:
				conn = r.dial()
				fallthrough
			default:
				r.attach(conn, c, id)
			}
			if c == 0 { // an agent that has spoken is warm
				r.say(r.streams[i], work{lines: 1})
			}
		}
		if c == 0 {
			r.turns(func(int) work { return work{lines: 1} })
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
	worlds.Delete(r.world)
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
	s, err := converse(ctx, conn, client, &pb.StartConversation{
		SessionId: session, WorkingDirectory: r.world.Project, History: pb.HistoryPolicy_HISTORY_POLICY_NONE, Observer: client > 0,
	})
	if err != nil {
		r.Fatal(err)
	}
	r.streams = append(r.streams, s)
}

// converse attaches a client to a session.
func converse(ctx context.Context, conn *grpc.ClientConn, client int, start *pb.StartConversation) (*stream, error) {
	ctx = metadata.AppendToOutgoingContext(ctx, "x-client-id", fmt.Sprint("client-", client))
	s, err := pb.NewAgentServiceClient(conn).Converse(ctx)
	if err == nil {
		err = s.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: start}})
	}
	if err == nil {
		err = s.RecvMsg(&received{}) // the snapshot: it is attached
	}
	return &stream{BidiStreamingClient: s, session: start.GetSessionId()}, err
}

func (r *rig) say(s *stream, w work) {
	r.Helper()
	if err := s.say(w); err != nil {
		r.Fatal(err)
	}
}
