package callers

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// listScenarios attack the summaries that the daemon keeps for lists of sessions.
var listScenarios = []siege.Scenario{
	{Name: "lists: summaries of others", Attack: attackListsByGuests},
	{Name: "lists: summaries that are old", Attack: attackListsDuringChanges},
	{Name: "lists: many filters", Attack: attackListsByFilters},
}

// list calls ListSessions; it waits when the daemon limits its rate.
func list(s *siege.Siege, r *pb.ListSessionsRequest) []*pb.SessionSummary {
	for {
		got, err := s.Daemon.Agents().ListSessions(s, r)
		if status.Code(err) == codes.ResourceExhausted {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		s.Must(err, "list sessions")
		return got.GetSessions()
	}
}

// attackListsByGuests lists as a guest in between lists of a person, which keep the summaries of all sessions.
func attackListsByGuests(s *siege.Siege) {
	private, shared := siege.NewSession(), siege.NewSession()
	for id, name := range map[string]string{private: "swordfish", shared: "harmless"} {
		c := s.Converse("person", id)
		s.RunTurn(c, "echo:password "+name)
		_, err := s.Daemon.Agents().RenameSession(s, &pb.RenameSessionRequest{SessionId: id, Name: name})
		s.Must(err, "name the session")
		if id == private {
			_, asked := s.Asked(c, "run:touch swordfish.txt")
			s.Held("a request waits", asked, "it does not")
		}
	}
	secret := guest(s, "ann", "view", "control", "approve")
	shares(s, shared, "ann", "editor")
	ctx := metadata.AppendToOutgoingContext(s, "x-caller-token", secret)
	all := func() int { return len(list(s, &pb.ListSessionsRequest{})) }
	some := uint32(10)
	for name, r := range map[string]*pb.ListSessionsRequest{
		"all": {}, "one": {Limit: 1}, "the second": {Limit: 1, Offset: 1}, "very many": {Limit: 1<<32 - 1}, "those beyond": {Offset: 1<<32 - 1},
		"a directory": {WorkingDirectory: s.World.Project}, "resting": {Resting: &some}, "resting in a directory": {Resting: &some, WorkingDirectory: s.World.Project},
	} {
		before := all()
		got, err := s.Daemon.Agents().ListSessions(ctx, r)
		told := got.String() + fmt.Sprint(err)
		held := before == 2 && all() == 2 && got.GetTotal() <= 1 && got.GetOmittedIdle()+got.GetOmittedStopped() <= 1 && len(got.GetSessions()) <= 1
		s.Held("a guest that asks for "+name, held && !strings.Contains(told, private) && !strings.Contains(told, "swordfish"), "%s", told)
	}
	shares(s, shared, "ann", "none")
	got, err := s.Daemon.Agents().ListSessions(ctx, &pb.ListSessionsRequest{})
	s.Held("a guest of no session any more", err == nil && len(got.GetSessions()) == 0 && got.GetTotal() == 0, "%v, %v", got, err)
}

// attackListsDuringChanges renames, stops and deletes sessions while other clients list all the time. Each list has at least what
// the daemon had answered before, and no client sees a session go back.
func attackListsDuringChanges(s *siege.Siege) {
	ids := []string{siege.NewSession(), siege.NewSession(), siege.NewSession()}
	for _, id := range ids {
		c := s.Converse("person", id)
		s.RunTurn(c, "echo:hello")
		c.Close()
	}
	done, found := make(chan struct{}), make(chan string, 3)
	for range cap(found) {
		go func() {
			last, backwards := map[string]int{}, ""
			defer func() { found <- backwards }()
			for {
				select {
				case <-done:
					return
				case <-time.After(5 * time.Millisecond): // within the rate of a client
				}
				got, err := s.Daemon.Agents().ListSessions(s, &pb.ListSessionsRequest{})
				if err != nil {
					continue
				}
				for _, one := range got.GetSessions() {
					n := 0
					_, _ = fmt.Sscanf(one.GetName(), "name-%d", &n)
					if n < last[one.GetId()] {
						backwards = fmt.Sprintf("%s was %d and is %d", one.GetId(), last[one.GetId()], n)
					}
					last[one.GetId()] = n
				}
			}
		}()
	}
	old := ""
	for n := 1; n <= 150 && old == ""; n++ {
		id, name := ids[n%len(ids)], fmt.Sprint("name-", n)
		_, err := s.Daemon.Agents().RenameSession(s, &pb.RenameSessionRequest{SessionId: id, Name: name})
		s.Must(err, "rename a session")
		for _, one := range list(s, &pb.ListSessionsRequest{}) {
			if one.GetId() == id && one.GetName() != name {
				old = fmt.Sprintf("%s has the name %q after %q", id, one.GetName(), name)
			}
		}
	}
	s.Held("a list has the newest name", old == "", "%s", old)
	_, code := s.Cli("session", "stop", ids[0])
	stopped := ""
	for _, one := range list(s, &pb.ListSessionsRequest{}) {
		if one.GetId() == ids[0] {
			stopped = one.GetStoppedBy()
		}
	}
	s.Held("a list has the newest state", code == 0 && stopped != "", "exit %d", code)
	_, err := s.Daemon.Agents().DeleteSession(s, &pb.DeleteSessionRequest{SessionId: ids[1]})
	s.Must(err, "delete a session")
	left := list(s, &pb.ListSessionsRequest{})
	s.Held("a deleted session is not listed", len(left) == 2 && left[0].GetId() != ids[1] && left[1].GetId() != ids[1], "%v", left)
	close(done)
	for range cap(found) {
		backwards := <-found
		s.Held("no list is older than the one before", backwards == "", "%s", backwards)
	}
}

// attackListsByFilters asks for lists in very many directories and worktrees.
func attackListsByFilters(s *siege.Siege) {
	c := s.Converse("person", siege.NewSession())
	s.RunTurn(c, "echo:hello")
	before := s.PeakMemory()
	long := strings.Repeat("x", 3000)
	for n := range uint32(10_000) {
		got := list(s, &pb.ListSessionsRequest{WorkingDirectory: fmt.Sprintf("/%s/%d", long, n), WorktreeId: fmt.Sprint(n), Limit: n, Offset: n})
		if len(got) > 0 {
			s.Fail("a directory without sessions has %v", got)
		}
	}
	grown := s.PeakMemory() - before
	s.Held("10 000 filters take no memory", grown < 40<<20, "%d MiB more", grown>>20)
}
