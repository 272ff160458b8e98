package actors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/actortest"
	"betcode/actors/session"
	"betcode/messages"
)

func TestStreamsAreReplayed(t *testing.T) {
	store := newMemoryStore()
	store.fill(sessionN(1), 3000)
	s := raise(t, store)
	for _, c := range []struct {
		name   string
		attach messages.Attach
		from   messages.Seq
	}{
		{"everything", messages.Attach{}, 0},
		{"from a number", messages.Attach{History: messages.HistoryFromSequence, From: 1234}, 1234},
		{"from the head", messages.Attach{History: messages.HistoryFromSequence, From: 3000}, 3000},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.attach.Session, c.attach.Client, c.attach.Stream, c.attach.Follow = sessionN(1), "ann", c.name, messages.FollowTurn
			r := s.follow(c.attach)
			if err := r.ends(t); err != nil {
				t.Fatalf("the stream ends with %v", err)
			}
			s.checkComplete(r, sessionN(1), c.from)
			if first := r.got()[0]; first.Seq != 0 || actortest.ShowEvent(first) != "info" {
				t.Errorf("the first event is %s", actortest.ShowEvent(first))
			}
		})
	}
	if kind := messages.KindOf(attachError(s, messages.Attach{Session: sessionN(1), Stream: "s", History: messages.HistoryFromSequence, From: 3001})); kind != messages.OutOfRange {
		t.Errorf("beyond the head: %s", kind)
	}
	if kind := messages.KindOf(attachError(s, messages.Attach{Session: sessionN(9), Stream: "s"})); kind != messages.NotFound {
		t.Errorf("of an unknown session: %s", kind)
	}
}

// A finished stream ends at the head, also when the session's actor crashes before
// it can end: it is attached again with the same policy.
func TestFinishedStreamEnds(t *testing.T) {
	s := raise(t, newMemoryStore())
	s.open(sessionN(1))
	f, _, err := s.Attach(t.Context(), messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.client = actor.NewPID(f.client.Address, "gone") // Finish reaches no actor, as after a crash
	f.Finish()
	s.crash("sessions/session/" + string(sessionN(1)))
	for err == nil {
		_, err = next(t.Context(), f)
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("it ends with %v", err)
	}
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "other"})
	r.follower.system.actors.Root.Send(r.follower.client, messages.Finish{})
	if err := r.ends(t); err != nil {
		t.Errorf("another ends with %v", err)
	}
	s.checkComplete(r, sessionN(1), 0)
}

func attachError(s *stage, a messages.Attach) error {
	_, _, err := s.Attach(s.t.Context(), a)
	return err
}

// A client that does not read delays nobody, and catches up from
// the journal when it reads again.
func TestSlowClientLags(t *testing.T) {
	store := newMemoryStore()
	store.fill(sessionN(1), 3*clientEvents)
	s := raise(t, store)
	slow, _, err := s.Attach(t.Context(), messages.Attach{Session: sessionN(1), Client: "slow", Stream: "slow", Observer: true})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fast := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "fast"})
	for n := range 5 {
		must[messages.InputAcknowledged](s, message(sessionN(1), n+1))
	}
	s.eventually("everything has happened", func() bool { return fast.has("error AGENT_MISSING") && fast.has("ERROR") })
	s.checkComplete(fast, sessionN(1), 0)
	if n, _ := slow.box.Buffered(); n > clientEvents {
		t.Errorf("%d events are kept for it", n)
	}
	late := &reader{follower: slow, done: make(chan error, 1)}
	head := s.store.look(sessionN(1)).Head()
	for late.last() < head {
		events, err := next(t.Context(), slow)
		if err != nil {
			t.Fatal(err)
		}
		late.events = append(late.events, events...)
	}
	s.checkComplete(late, sessionN(1), 0)
}

// The stream of a deleted session ends, after an event about the deletion.
func TestStreamOfADeletedSessionEnds(t *testing.T) {
	s := raise(t, newMemoryStore())
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	s.checkComplete(r, sessionN(1), 0)
	must[messages.Done](s, messages.DeleteSession{Session: sessionN(1)})
	if err := r.ends(t); messages.KindOf(err) != messages.NotFound {
		t.Errorf("it ends with %v", err)
	}
	if !r.has("error SESSION_CLOSED") {
		t.Error("the client got no event about it")
	}
	s.eventually("its actor has gone", func() bool { return s.tree.Count("session") == 0 })
}

// A session's actor crashes again and again while messages are sent and
// read: nothing is lost, doubled or out of order, in the journal and on every
// stream.
func TestStreamsSurviveCrashesOfTheSession(t *testing.T) {
	crashing(t, "sessions/session/"+string(sessionN(1)))
}

// The same with everything below the sessions actor, and with the journal.
func TestStreamsSurviveCrashesOfAllSessions(t *testing.T) { crashing(t, "sessions") }

func TestStreamsSurviveCrashesOfTheJournal(t *testing.T) { crashing(t, "journal") }

func crashing(t *testing.T, path string) {
	s := raise(t, newMemoryStore())
	var poisoned atomic.Bool
	if path == "journal" {
		s.store.hook(func() {
			if poisoned.Swap(false) {
				panic("poison")
			}
		})
	}
	s.open(sessionN(1))
	var readers []*reader
	for i := range 3 {
		readers = append(readers, s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: fmt.Sprint("s", i)}))
	}
	const inputs = 30
	var work sync.WaitGroup
	stop := make(chan struct{})
	crashes := 0
	work.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(10+crashes) * time.Millisecond): // so that even the slowest gets on
				crashes++
				switch path {
				case "journal":
					poisoned.Store(true)
				case "sessions":
					s.actors.Root.Send(s.System.sessions, unfinished{err: errors.New("poison")})
				default:
					s.crash(path)
				}
			}
		}
	})
	seqs := map[messages.Seq]bool{}
	for n := range inputs {
		seqs[must[messages.InputAcknowledged](s, message(sessionN(1), n+1)).Seq] = true
		time.Sleep(5 * time.Millisecond)
	}
	close(stop)
	work.Wait()
	if len(seqs) != inputs || crashes == 0 {
		t.Errorf("%d messages have %d numbers; %d crashes", inputs, len(seqs), crashes)
	}
	must[messages.SessionStopped](s, messages.StopSession{Session: sessionN(1)})
	for _, r := range readers {
		s.checkComplete(r, sessionN(1), 0)
	}
	for n := range inputs {
		if seq := must[messages.InputAcknowledged](s, message(sessionN(1), n+1)).Seq; !seqs[seq] {
			t.Errorf("message %d is %d now", n+1, seq)
		}
	}
}

// A client that leaves while its request to attach is under way leaves no stream behind, which would hold the input lock.
// The second case keeps the request until the session's actor has been replaced.
func TestLeftWhileAttaching(t *testing.T) {
	for name, prepare := range map[string]func(*stage){
		"lives":    func(*stage) {},
		"replaced": func(s *stage) { s.actors.Root.Send(s.sessions, session.Rebuild{Session: sessionN(1)}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := raise(t, newMemoryStore())
			s.open(sessionN(1))
			gone, leave := context.WithCancel(t.Context())
			leave()
			prepare(s)
			f, _, err := s.Attach(gone, messages.Attach{Session: sessionN(1), Client: "gone", Stream: "gone"})
			for err == nil { // the answer was faster than the end of the context
				f.Close()
				f, _, err = s.Attach(gone, messages.Attach{Session: sessionN(1), Client: "gone", Stream: "gone"})
			}
			if messages.KindOf(err) != messages.Canceled {
				t.Fatalf("attach: %v", err)
			}
			view := must[messages.SessionView](s, messages.GetSession{Session: sessionN(1)})
			if view.LockHolder != "" || len(view.Attached) > 0 {
				t.Errorf("the lock is held by %q, and attached are %+v", view.LockHolder, view.Attached)
			}
		})
	}
}
