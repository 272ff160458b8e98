// Package e2e plays stories on the built binary: a daemon, agents and clients, in processes of
// their own, killed at the worst moments.
package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// patience bounds every wait that is not the kit's. Machines that run tests are
// busy: only what never comes is a failure.
const patience = 3 * time.Minute

// binaries are the programs of the stories, built once from this checkout.
var binaries struct{ betcode, fake string }

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "bcbin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for name, at := range map[string]*string{"betcode/cmd/betcode": &binaries.betcode, "betcode/tests/fakeagent": &binaries.fake} {
		*at = filepath.Join(dir, filepath.Base(name))
		if err := kit.Build(context.Background(), *at, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// story is one test with its world, its daemon and its client.
type story struct {
	*testing.T
	world  *kit.World
	daemon *kit.Daemon
}

// newStory starts a daemon with an agent. Any process left of the world at the
// end is a failure, and is ended.
func newStory(t *testing.T, agent string, env ...string) *story {
	t.Helper()
	w, err := kit.NewWorld(binaries.betcode, agent, env...)
	if err != nil {
		t.Fatal(err)
	}
	return storyIn(t, w)
}

// storyIn is newStory in a world that was made before.
func storyIn(t *testing.T, w *kit.World) *story {
	t.Helper()
	s := &story{T: t, world: w}
	t.Cleanup(func() {
		if s.daemon != nil {
			if _, err := s.daemon.Stop(); err != nil {
				t.Error(err)
			}
			if t.Failed() {
				t.Logf("the daemon's log:\n%s", s.daemon.Log())
			}
		}
		if left := w.End(); len(left) > 0 {
			t.Errorf("processes left over: %v", left)
		}
		if err := w.Remove(); err != nil {
			t.Error(err)
		}
	})
	s.start()
	return s
}

func (s *story) start() {
	s.Helper()
	d, err := s.world.Start(context.Background())
	if err != nil {
		s.Fatal(err)
	}
	s.daemon = d
}

// killDaemon ends the daemon by SIGKILL and starts the next one.
func (s *story) killDaemon() {
	s.Helper()
	s.daemon.Kill()
	if s.Failed() {
		s.Logf("the killed daemon's log:\n%s", s.daemon.Log())
	}
	s.start()
}

// session generates a session id.
func session() string { return uuid.NewString() }

// converse attaches a client to a session from the beginning.
func (s *story) converse(client, session string) *kit.Stream {
	s.Helper()
	return s.converseWith(client, &pb.StartConversation{SessionId: session, WorkingDirectory: s.world.Project})
}

func (s *story) converseWith(client string, start *pb.StartConversation) *kit.Stream {
	s.Helper()
	stream, err := s.daemon.Converse(context.Background(), client, start)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(stream.Close)
	return stream
}

// say sends a message and returns its key.
func (s *story) say(stream *kit.Stream, text string) string {
	s.Helper()
	key := uuid.NewString()
	if err := stream.Say(key, text); err != nil {
		s.Fatal(err)
	}
	return key
}

// wait waits for an event from a place on and returns it with the place behind.
func (s *story) wait(stream *kit.Stream, from int, wanted func(kit.Event) bool) (kit.Event, int) {
	s.Helper()
	e, next, err := stream.Wait(from, wanted)
	if err != nil {
		s.Fatal(err)
	}
	return e, next
}

// rests waits until the session is idle, from an event on: it may have become so
// before, as an agent that is killed may just have ended its turn.
func (s *story) rests(stream *kit.Stream, from int) {
	s.Helper()
	for _, e := range slices.Backward(stream.Events()[:from]) {
		if e.GetStatusChange() == nil {
			continue
		}
		if kit.IsIdle(e) {
			return
		}
		break
	}
	s.wait(stream, from, kit.IsIdle)
}

// answer decides a permission request.
func (s *story) answer(stream *kit.Stream, e kit.Event, decision pb.PermissionDecision, message string) {
	s.Helper()
	if err := stream.Answer(e.GetPermissionRequest().GetRequestId(), decision, message); err != nil {
		s.Fatal(err)
	}
}

// sameHistory attaches another client, reads all events up to the head and compares them with those
// of a stream: the same numbers, the same bytes.
func (s *story) sameHistory(seen *kit.Stream, session string) {
	s.Helper()
	mine, err := kit.Journaled(seen.Events(), 1)
	if err != nil {
		s.Fatal(err)
	}
	stream, err := s.daemon.Resume(context.Background(), session, 0)
	if err != nil {
		s.Fatal(err)
	}
	if err := stream.WaitEnd(); err != nil {
		s.Fatal(err)
	}
	theirs, err := kit.Journaled(stream.Events(), 1)
	if err != nil {
		s.Fatal(err)
	}
	if len(theirs) < len(mine) {
		s.Fatalf("a second client gets %d events, the first had %d", len(theirs), len(mine))
	}
	if err := kit.Same(mine, theirs[:len(mine)]); err != nil {
		s.Fatalf("a second client gets another history: %v", err)
	}
}
