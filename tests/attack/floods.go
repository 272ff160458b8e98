package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// floodScenarios attack what docs/security.md says of: doors, how much and how often.
var floodScenarios = []scenario{
	{name: "doors: bombs", env: listening, attack: attackBombs},
	{name: "doors: floods of refused calls", env: listening, attack: attackFloods},
	{name: "doors: silent connections", env: listening, attack: attackSilence},
	{name: "doors: expensive checks", env: listening, attack: attackChecks},
}

// attackBombs sends compressed requests that are large when they are decompressed, as the
// finding had it: it took 2.4 GB.
func attackBombs(s *siege) {
	const each, callers, bound = 60 << 20, 16, 256 << 20
	address, viewer := s.address(), s.secret(s.token("viewer", "view"))
	request := bomb(each)
	for _, attack := range []struct{ name, method, token string }{
		{"without a token, to a health check", "/grpc.health.v1.Health/Check", ""},
		{"without a token, to a call", "/betcode.v1.AgentService/ListSessions", ""},
		{"with a token that lacks the scope", "/betcode.v1.AdminService/BackupJournal", viewer},
		{"with a token that may call", "/betcode.v1.AgentService/ListSessions", viewer},
	} {
		before := s.most()
		var group sync.WaitGroup
		var served atomic.Int32
		for range callers {
			group.Go(func() {
				client := http2Client()
				defer client.CloseIdleConnections()
				if code, err := s.raw(client, address, attack.method, attack.token, request); err == nil && code == "0" {
					served.Add(1)
				}
			})
		}
		group.Wait()
		grown := s.most() - before
		s.held("bombs "+attack.name+" are refused", served.Load() == 0, "%d were served", served.Load())
		s.held("bombs "+attack.name+" take little memory", grown < bound, "it grew by %d MiB", grown>>20)
	}
	status, err := s.raw(http2Client(), address, "/betcode.v1.AgentService/ListSessions", viewer, bomb(0))
	s.held("a small compressed request is served", err == nil && status == "0", "status %q, %v", status, err)
}

// attackFloods repeats calls that are refused.
func attackFloods(s *siege) {
	const calls = 3200
	address := s.address()
	viewer, decided := s.remote(address, s.token("viewer", "view")), s.decisions()
	stranger := s.remote(address, "")
	before := s.lines()
	var group sync.WaitGroup
	var refused atomic.Int32
	for range 16 {
		group.Go(func() {
			for range calls / 16 {
				if _, err := pb.NewAdminServiceClient(viewer).Shutdown(s, &pb.ShutdownRequest{}); err != nil {
					refused.Add(1)
				}
				if _, err := pb.NewAgentServiceClient(stranger).ListSessions(s, &pb.ListSessionsRequest{}); err != nil {
					refused.Add(1)
				}
			}
		})
	}
	group.Wait()
	s.held("each call is refused", refused.Load() == 2*calls, "%d were", refused.Load())
	lines, refusals := s.lines()-before, s.count("*.refusals.jsonl")
	s.held("the daemon serves on", !s.daemon.Ended(), "it has ended")
	s.held("the log has few lines about it", lines < calls/20, "%d lines for %d calls", lines, 2*calls)
	s.held("so has the audit log", refusals < calls/20, "%d entries for %d calls", refusals, 2*calls)
	s.held("and none of them among the decisions", s.decisions()-decided < 20, "%d entries", s.decisions()-decided)
	_, code := s.cli("session", "list")
	s.held("the owner is served", code == 0, "exit %d", code)
	_, err := pb.NewAdminServiceClient(viewer).Shutdown(s, &pb.ShutdownRequest{})
	s.held("a flooding caller is told to wait, or that the scope is missing", status.Code(err) == codes.ResourceExhausted || status.Code(err) == codes.PermissionDenied, "%v", err)
}

// lines are those of the daemon's log so far.
func (s *siege) lines() int { return strings.Count(s.daemon.Log(), "\n") }

// decisions are the entries of the audit log that are no refusals.
func (s *siege) decisions() int { return s.count("*.jsonl") - s.count("*.refusals.jsonl") }

// count counts the entries in files of the audit log.
func (s *siege) count(pattern string) (entries int) {
	files, err := filepath.Glob(filepath.Join(s.world.StateDir(), "audit", pattern))
	s.must(err, "look for the audit log")
	for _, name := range files {
		raw, err := os.ReadFile(name)
		s.must(err, "read the audit log")
		entries += strings.Count(string(raw), "\n")
	}
	return entries
}

// attackSilence fills the door with connections that say nothing.
func attackSilence(s *siege) {
	address, viewer := s.address(), s.token("viewer", "view")
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range 300 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			break // it is full, so the next case tells
		}
		open = append(open, c)
	}
	before := s.lines()
	printed, code := s.cli("--address", address, "--token-file", viewer, "--socket", "/nowhere/s", "session", "list")
	s.held("a client with a token gets in beside 300 silent connections", code == 0, "exit %d: %s", code, printed)
	s.held("they are few lines in the log", before < 100, "%d lines", before)
	closed := make(chan bool, 1)
	go func() { // the last one was not put out to make room for another
		_, err := open[len(open)-1].Read(make([]byte, 1<<10))
		for err == nil {
			_, err = open[len(open)-1].Read(make([]byte, 1<<10))
		}
		closed <- true
	}()
	s.until("silent connections are closed", func() bool { return len(closed) > 0 })
	s.held("they are closed by themselves", true, "")
}

// attackChecks starts expensive checks many times at once. One that is refused says why;
// that two never run at once is shown by grpcapi TestOneAtATime.
func attackChecks(s *siege) {
	id := session()
	c := s.converse("person", id)
	s.turn(c, "echo:hello")
	viewer := pb.NewAdminServiceClient(s.remote(s.address(), s.token("viewer", "view")))
	var group sync.WaitGroup
	var done, busy, other atomic.Int32
	note := func(err error) {
		switch {
		case err == nil || err.Error() == "EOF":
			done.Add(1)
		case status.Code(err) == codes.ResourceExhausted:
			busy.Add(1)
		default:
			other.Add(1)
		}
	}
	for range 32 {
		group.Go(func() {
			stream, err := viewer.VerifyJournal(s, &pb.VerifyJournalRequest{})
			for err == nil {
				_, err = stream.Recv()
			}
			note(err)
		})
		group.Go(func() {
			stream, err := viewer.TestRules(s, &pb.TestRulesRequest{SessionId: id})
			for err == nil {
				_, err = stream.Recv()
			}
			note(err)
		})
	}
	group.Wait()
	s.held("each check is done, or refused with a reason", done.Load() > 0 && other.Load() == 0, "done %d, refused %d, failed %d", done.Load(), busy.Load(), other.Load())
}
