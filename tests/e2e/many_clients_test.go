package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Each policy of how much of the past is sent, and what each of them sends at once.
func TestHistoryPolicies(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	s.say(a, "echo:long ago")
	_, next := s.wait(a, 0, kit.IsIdle)
	s.say(a, "run:echo made")
	asked, _ := s.wait(a, next, kit.IsPermission)
	waits, _ := s.wait(a, next, kit.IsStatus(pb.AgentStatus_WAITING_FOR_USER))
	head := waits.GetSequence()

	policies := map[pb.HistoryPolicy]struct {
		from, first uint64
		prompt      bool
	}{
		pb.HistoryPolicy_HISTORY_POLICY_FULL:          {0, 1, true},
		pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE: {5, 6, true},
		pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY:  {0, head + 1, true},
		pb.HistoryPolicy_HISTORY_POLICY_NONE:          {0, head + 1, false},
	}
	streams := map[pb.HistoryPolicy]*kit.Stream{}
	for policy, p := range policies {
		streams[policy] = s.converseWith("b", &pb.StartConversation{SessionId: id, History: policy, FromSequence: p.from, Observer: true})
		s.wait(streams[policy], 0, func(e kit.Event) bool { return e.GetPresence().GetComplete() })
	}
	s.answer(a, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	for policy, p := range policies {
		stream := streams[policy]
		_, end := s.wait(stream, 0, func(e kit.Event) bool { return kit.IsIdle(e) && e.GetSequence() > head })
		events := stream.Events()[:end]
		if info := events[0].GetSessionInfo(); info.GetHead() != head || events[0].GetSequence() != 0 || events[1].GetLock() == nil || events[2].GetPresence() == nil {
			t.Errorf("%s begins with\n%s", policy, kit.Describe(events[:3]))
		}
		if _, err := kit.Journaled(events, p.first); err != nil {
			t.Errorf("%s: %v", policy, err)
		}
		again := 0
		for _, e := range events {
			if e.GetPermissionRequest().GetIsReplay() && e.GetSequence() == 0 {
				again++
			}
		}
		if (again == 1) != p.prompt || again > 1 {
			t.Errorf("%s: the prompt came again %d times", policy, again)
		}
	}
}

// Five hundred clients of one session get the same events, and each gets the presence of the
// others.
func TestManyClientsOfOneSession(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("attaches 500 clients")
	}
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	s.wait(a, 0, func(e kit.Event) bool { return e.GetSequence() == 1 }) // it has the lock
	const clients = 500
	streams := make([]*kit.Stream, clients)
	for i := range streams {
		streams[i] = s.converseWith(fmt.Sprint("client-", i), &pb.StartConversation{SessionId: id, Observer: i%2 == 0})
	}
	s.wait(a, 0, func(e kit.Event) bool { return e.GetPresence().GetTotal() == clients+1 })
	s.say(a, "flood:300:40")
	_, end := s.wait(a, 0, kit.IsIdle)
	mine, err := kit.Journaled(a.Events()[:end], 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, stream := range streams {
		_, end := s.wait(stream, 0, kit.IsIdle)
		theirs, err := kit.Journaled(stream.Events()[:end], 1)
		if err == nil {
			err = kit.Same(mine, theirs)
		}
		if err != nil {
			t.Fatalf("client %d: %v", i, err)
		}
	}
}

// Two hundred sessions with two clients each: every one is worked in, and no client
// sees anything of another session.
func TestManySessions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs 200 sessions")
	}
	s := newStory(t, binaries.fake)
	const sessions, workers = 200, 8
	type pair struct{ writes, watches *kit.Stream }
	pairs, ids := make([]pair, sessions), make([]string, sessions)
	for i := range pairs {
		ids[i] = session()
		pairs[i].writes = s.converse("writer", ids[i])
		s.wait(pairs[i].writes, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
		pairs[i].watches = s.converseWith("watcher", &pb.StartConversation{SessionId: ids[i], Observer: true})
	}
	work := make(chan int)
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for i := range work {
				if err := pairs[i].writes.Say(session(), "echo:"+ids[i]); err != nil {
					t.Error(err)
				}
				for _, stream := range []*kit.Stream{pairs[i].writes, pairs[i].watches} {
					_, end, err := stream.Wait(0, kit.IsIdle)
					if err != nil {
						t.Error(err)
						continue
					}
					events := stream.Events()[:end]
					if _, err := kit.Journaled(events, 1); err != nil || kit.Text(events) != ids[i] {
						t.Errorf("session %d says %q: %v", i, kit.Text(events), err)
					}
					for _, e := range events {
						if e.GetSessionId() != ids[i] {
							t.Errorf("an event of %s in session %d", e.GetSessionId(), i)
						}
					}
				}
			}
		})
	}
	for i := range pairs {
		work <- i
	}
	close(work)
	done.Wait()
}

// A daemon that ends reports that on every stream, with an event and with the status.
func TestStreamsAreToldOfTheEnd(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	s.say(a, "gate:never")
	s.wait(a, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	beside, err := s.daemon.Beside(t.Context()) // on one connection with a Converse stream a replay ends
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Conn().Close()
	replay, err := beside.Resume(context.Background(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := replay.Wait(0, kit.IsStatus(pb.AgentStatus_THINKING)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.daemon.Admin().Shutdown(t.Context(), &pb.ShutdownRequest{KeepAgents: true}); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []*kit.Stream{a, replay} {
		end := stream.WaitEnd()
		events := stream.Events()
		if last := events[len(events)-1].GetError(); codeOf(end) != codes.Unavailable || last.GetCode() != "DAEMON_STOPPING" || !last.GetIsFatal() ||
			!strings.Contains(last.GetMessage(), "econnect") {
			t.Errorf("%v, %v", last, end)
		}
	}
	s.eventually("the daemon is gone", s.daemonGone)
	s.start()
	a = s.converse("a", id)
	s.create("never")
	s.wait(a, 0, kit.IsTurnComplete)
}
