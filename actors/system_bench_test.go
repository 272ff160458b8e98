package actors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/actortest"
	measure "betcode/actors/internal/disk"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/supervision"
)

// quickly is the default policy a hundred times faster.
var quickly = supervision.Policy{Initial: 5 * time.Millisecond, Max: 300 * time.Millisecond, Limit: 5, Window: 600 * time.Millisecond}

// forgiving restarts at the same rate and never gives up.
var forgiving = supervision.Policy{Initial: time.Millisecond, Max: 10 * time.Millisecond, Limit: 1 << 30, Window: time.Minute}

// stage is a whole actor system over a journal in memory, without an agent: the
// program is a file that does not exist.
type stage struct {
	*System
	t     *testing.T
	store *memoryStore
}

// endless is a disk with plenty of room.
func endless() (measure.Space, error) { return measure.Space{Free: 1 << 40, Total: 1 << 41}, nil }

// raise starts the actors; they are stopped, and have to stop, when the test
// ends, and the agents with them.
func raise(t *testing.T, store *memoryStore, change ...func(*Options)) *stage {
	t.Helper()
	return raised(t, store, false, change)
}

// raiseKeeping is raise for a daemon whose agents live on.
func raiseKeeping(t *testing.T, store *memoryStore, change ...func(*Options)) *stage {
	t.Helper()
	return raised(t, store, true, change)
}

// defaults returns settings that a test may change.
func defaults() *settings.Settings {
	now := settings.Default()
	return &now
}

func raised(t *testing.T, store *memoryStore, keepAgents bool, change []func(*Options)) *stage {
	t.Helper()
	log := zerolog.Nop()
	o := Options{
		Settings: defaults(), Store: store, RunsDirectory: filepath.Join(t.TempDir(), "runs"), Program: "/nonexistent/claude", Logger: &log,
		Restart: forgiving, AgentRestart: quickly, Version: "test",
		Disk: DiskOptions{look: endless},
	}
	for _, c := range change {
		c(&o)
	}
	system, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{System: system, t: t, store: store}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := system.Stop(ctx, keepAgents); err != nil {
			t.Errorf("stop: %v", err)
		}
		if left := system.tree.Snapshot("daemon", time.Now()); left.State != "stopped" {
			t.Errorf("still in the tree: %+v", left)
		}
	})
	select {
	case <-system.Ready():
	case <-time.After(time.Minute):
		t.Fatal("recovery does not end")
	}
	return s
}

// must asks and returns the answer.
func must[R messages.Reply](s *stage, r messages.Request) R {
	s.t.Helper()
	answer, err := s.Ask(s.t.Context(), r)
	if err != nil {
		s.t.Fatalf("%T: %v; the tree: %+v", r, err, s.tree.Snapshot("daemon", time.Now()))
	}
	reply, ok := answer.(R)
	if !ok {
		s.t.Fatalf("%T is answered with a %T", r, answer)
	}
	return reply
}

// refused asks and returns the kind of the error.
func (s *stage) refused(r messages.Request) messages.Kind {
	s.t.Helper()
	answer, err := s.Ask(s.t.Context(), r)
	if err == nil {
		s.t.Fatalf("%T is answered with %+v", r, answer)
	}
	return messages.KindOf(err)
}

// eventually waits for something to become true.
func (s *stage) eventually(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("it never happens that %s; the tree: %+v", what, s.tree.Snapshot("daemon", time.Now()))
		}
	}
}

// open starts a session in a directory that is there.
func (s *stage) open(id messages.SessionID) {
	s.t.Helper()
	must[messages.SessionStarted](s, messages.StartSession{Session: id, Client: "ann", WorkingDirectory: "/", Name: "work " + string(id)})
}

// crash makes an actor crash.
func (s *stage) crash(path string) {
	s.actors.Root.Send(actor.NewPID(s.daemon.Address, "daemon/"+path), poison(path))
}

// poison is a message that the actor at a path cannot survive.
func poison(path string) any {
	if path == "journal" {
		return messages.LoadSession{Session: "poison"}
	}
	return messages.AppendRefused{Err: messages.Errorf("test", messages.Aborted, "poison")}
}

func sessionN(n int) messages.SessionID {
	return messages.SessionID(fmt.Sprintf("3f2a0000-0000-4000-8000-%012d", n))
}

func key(n int) string { return fmt.Sprintf("aaaa0000-0000-4000-8000-%012d", n) }

func message(id messages.SessionID, n int) messages.SendInput {
	return messages.SendInput{Session: id, Client: "ann", Key: key(n), Content: "hello"}
}

// reader reads a stream until it ends or the test does, and keeps what it got.
type reader struct {
	follower *Follower

	mu     sync.Mutex
	events []messages.Event
	done   chan error
}

func (s *stage) follow(a messages.Attach) *reader {
	s.t.Helper()
	f, _, err := s.Attach(s.t.Context(), a)
	if err != nil {
		s.t.Fatalf("attach: %v", err)
	}
	r := &reader{follower: f, done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			events, err := next(ctx, f)
			r.mu.Lock()
			r.events = append(r.events, events...)
			r.mu.Unlock()
			if err != nil {
				r.done <- err
				return
			}
		}
	}()
	s.t.Cleanup(func() {
		cancel()
		f.Close()
	})
	return r
}

// next waits for events and takes what there are.
func next(ctx context.Context, f *Follower) ([]messages.Event, error) {
	for {
		select {
		case <-f.Ready():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if events, err := f.Take(ctx); err != nil || len(events) > 0 {
			return events, err
		}
	}
}

// got returns what the reader was given so far.
func (r *reader) got() []messages.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[:len(r.events):len(r.events)]
}

// last returns the newest number.
func (r *reader) last() messages.Seq {
	var last messages.Seq
	for _, e := range r.got() {
		last = max(last, e.Seq)
	}
	return last
}

// ends waits for the end of the stream and returns why, nil for a clean one.
func (r *reader) ends(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-time.After(time.Minute):
		t.Fatal("the stream does not end")
		return nil
	}
}

// has reports whether an event was given that is written like that, apart from
// its number.
func (r *reader) has(words string) bool {
	for _, e := range r.got() {
		var event pb.AgentEvent
		if proto.Unmarshal(e.Bytes, &event) == nil && actortest.ShowPayload(&event) == words {
			return true
		}
	}
	return false
}

// checkComplete checks that a reader was given every event behind from that the
// journal has, once, in order, with the same bytes.
func (s *stage) checkComplete(r *reader, id messages.SessionID, from messages.Seq) {
	s.t.Helper()
	kept := s.store.look(id)
	s.eventually("the reader is at the head", func() bool { return max(from, r.last()) >= kept.Head() })
	for _, e := range r.got() {
		if e.Seq == 0 || e.Seq > kept.Head() {
			continue
		}
		if from++; e.Seq != from || !kept.Has(e) {
			s.t.Fatalf("%d came where %d was due: %v", e.Seq, from, numbersOf(r.got()))
		}
	}
}
