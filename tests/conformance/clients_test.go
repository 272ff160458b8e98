package conformance

import (
	"time"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// clientStories are about several clients of one session.
var clientStories = []story{
	{name: "input lock", run: inputLock},
	{name: "a slow client", run: slowClient},
}

// inputLock is asked for, refused, given up, and left behind.
func inputLock(s *stage) {
	id := session()
	a := s.converse("a", &pb.StartConversation{SessionId: id})
	s.wait(a, 0, func(e kit.Event) bool { return e.GetLock().GetHolder() == "a" })
	b := s.converse("b", &pb.StartConversation{SessionId: id})
	s.wait(b, 0, func(e kit.Event) bool { return e.GetLock().GetHolder() == "a" })
	s.say(b, "echo:not mine")
	refused, _ := s.wait(b, 0, isError("NO_INPUT_LOCK"))
	if refused.GetError().GetDetails()["holder_client_id"] != "a" {
		s.Errorf("refused as %v", refused)
	}
	s.shows("Error Response Structure", "details: holder_client_id")
	s.shows("Input lock", "One client at a time sends input")

	answered := make(chan *pb.InputLockResponse, 1)
	ask := func(client string) {
		go func() {
			answer, err := s.daemon.Agents().RequestInputLock(s.as(client), &pb.InputLockRequest{SessionId: id})
			if err != nil {
				s.Error(err)
			}
			answered <- answer
		}()
	}
	act := func(c *kit.Stream, action pb.LockAction) {
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: action}}}))
	}
	before := time.Now()
	ask("b")
	asked, next := s.wait(a, 0, func(e kit.Event) bool { return e.GetLock().GetRequestedBy() == "b" })
	if began := asked.GetLock().GetAnswerBy().AsTime().Add(-10 * time.Second); began.Before(before) || began.After(time.Now()) {
		s.Errorf("the holder has ten seconds from %v on; the lock was asked for after %v", began, before)
	}
	act(a, pb.LockAction_LOCK_ACTION_REFUSE)
	if answer := <-answered; answer.GetGranted() || !answer.GetRefused() {
		s.Errorf("refused, and answered %v", answer)
	}
	ask("b")
	s.wait(a, next, func(e kit.Event) bool { return e.GetLock().GetRequestedBy() == "b" })
	act(a, pb.LockAction_LOCK_ACTION_RELEASE)
	if answer := <-answered; !answer.GetGranted() || answer.GetPreviousHolder() != "a" {
		s.Errorf("given up, and answered %v", answer)
	}
	next = s.turn(b, 0, "echo:mine now")
	ask("a") // who does not answer loses it
	if answer := <-answered; !answer.GetGranted() || answer.GetPreviousHolder() != "b" {
		s.Errorf("not answered, and so %v", answer)
	}
	s.took("InputLockRequest", "session_id")
	s.shows("Input lock", "Explicit: the holder has 10s to respond")

	ask("b")
	s.wait(a, 0, func(e kit.Event) bool {
		return len(e.GetLock().GetWaiting()) == 1 || e.GetLock().GetRequestedBy() == "b" && e.GetLock().GetHolder() == "a"
	})
	a.Close()
	if answer := <-answered; !answer.GetGranted() {
		s.Errorf("the holder left, and %v", answer)
	}
	s.turn(b, next, "echo:mine again")
	s.shows("Input lock", "Automatic: the holder leaves")
	_, err := s.daemon.Agents().RequestInputLock(s.as("nobody"), &pb.InputLockRequest{SessionId: session()})
	s.refused(err, codes.NotFound)
}

// slowClient: a client lags, and gets all events in order when it reads on.
func slowClient(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	slow, err := s.daemon.Agents().ResumeSession(s.Context(), &pb.ResumeSessionRequest{SessionId: id, Follow: true})
	s.must(err)
	s.say(c, "flood:30000:200")
	_, end := s.wait(c, 0, kit.IsIdle)
	s.shows("Multiplexer", "Backpressure: the agent is never blocked by a slow client") // the slow client has read nothing yet
	numbered, err := kit.Journaled(c.Events()[:end], 1)
	s.must(err)
	lagged := false
	for want := uint64(1); want <= uint64(len(numbered)); {
		e, err := slow.Recv()
		s.must(err)
		lagged = lagged || e.GetLagging() != nil
		if e.GetSequence() == 0 {
			continue
		}
		if e.GetSequence() != want {
			s.Fatalf("sequence %d where %d was due", e.GetSequence(), want)
		}
		want++
	}
	if !lagged {
		s.Error("it was never reported as lagging")
	}
	s.shows("Multiplexer", "Backpressure: lagging, then resync")
}
