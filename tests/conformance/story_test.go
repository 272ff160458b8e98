package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// story is one thing that is played with a daemon of its own.
type story struct {
	name  string
	env   []string                               // of the daemon
	setup func(t *testing.T, w *kit.World) error // before the daemon starts; may be nil
	needs func() error                           // a missing prerequisite of the machine; may be nil
	run   func(s *stage)
}

// stories are all of them, in the files beside this one.
var stories = slices.Concat(
	contractStories, talkStories, permissionStories, clientStories, agentStories, compactStories, daemonStories,
	settingsStories, gitlabStories, futureStories, diskStories, realStories, versionStories, doorStories, commandStories, worktreeStories, subagentStories, orchestrationStories,
	publishedStories, gatewayStories, portalStories,
)

// stage is where a story is played.
type stage struct {
	*testing.T
	world  *kit.World
	daemon *kit.Daemon
	record *record
	claims []string
}

// begin starts the story's daemon. Any process left of the world at the end is a
// failure, and is ended.
func begin(t *testing.T, its story) *stage {
	t.Helper()
	if its.needs != nil {
		if err := its.needs(); err != nil {
			t.Skip(err)
		}
	}
	w, err := kit.NewWorld(binaries.betcode, binaries.fake, its.env...)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, world: w, record: newRecord()}
	w.Dial = s.record.options()
	t.Cleanup(func() {
		if s.daemon != nil {
			if _, err := s.daemon.Stop(); err != nil && !s.daemon.Ended() {
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
	if its.setup != nil {
		if err := its.setup(t, w); err != nil {
			t.Fatal(err)
		}
	}
	s.start()
	return s
}

func (s *stage) start() {
	s.Helper()
	d, err := s.world.Start(context.Background())
	if err != nil {
		s.Fatal(err)
	}
	s.daemon = d
}

// shows claims rows below a heading.
func (s *stage) shows(heading string, rows ...string) {
	s.Helper()
	for _, row := range rows {
		s.claims = append(s.claims, heading+"/"+row)
	}
}

// took claims fields of a sent message after the story has checked their effect.
func (s *stage) took(message string, fields ...string) {
	s.Helper()
	for _, field := range fields {
		id := message + "." + field
		if !s.record.wasSent(id) {
			s.Errorf("%s was not sent", id)
		}
		s.claims = append(s.claims, id)
	}
}

// refused checks how a call was refused.
func (s *stage) refused(err error, want codes.Code, words ...string) {
	s.Helper()
	is := status.Convert(err)
	if is.Code() != want {
		s.Fatalf("refused as %v, want %s", err, want)
	}
	for _, word := range words {
		if !strings.Contains(is.Message(), word) {
			s.Errorf("refused without %q: %s", word, is.Message())
		}
	}
}

func (s *stage) converse(client string, start *pb.StartConversation) *kit.Stream {
	s.Helper()
	if start.WorkingDirectory == "" {
		start.WorkingDirectory = s.world.Project
	}
	stream, err := s.daemon.Converse(context.Background(), client, start)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(stream.Close)
	return stream
}

// say sends a message and returns its key.
func (s *stage) say(stream *kit.Stream, text string) string {
	s.Helper()
	key := uuid.NewString()
	s.must(stream.Say(key, text))
	return key
}

// wait waits for an event from a place on and returns it with the place behind.
func (s *stage) wait(stream *kit.Stream, from int, wanted func(kit.Event) bool) (kit.Event, int) {
	s.Helper()
	e, next, err := stream.Wait(from, wanted)
	s.must(err)
	return e, next
}

// turn sends a message and waits until the agent is idle.
func (s *stage) turn(stream *kit.Stream, from int, text string) int {
	s.Helper()
	s.say(stream, text)
	_, next := s.wait(stream, from, kit.IsTurnComplete)
	_, next = s.wait(stream, next, kit.IsIdle)
	return next
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// eventually polls for a condition that no event reports.
func (s *stage) eventually(what string, so func() bool) {
	s.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("never: %s", what)
		}
	}
}

func session() string { return uuid.NewString() }
