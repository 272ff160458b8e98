package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// rightScenarios attack what docs/security.md says of: rights of callers.
var rightScenarios = []scenario{
	{name: "doors: an environment over TCP", env: listening, attack: attackEnvironment},
	{name: "doors: an environment without approve", env: append([]string{"BETCODE_LISTEN_ENVIRONMENT=true"}, listening...), attack: attackConfiguredEnvironment},
	{name: "doors: a token without control", env: listening, attack: attackApprover},
	{name: "doors: places of a session", env: listening, attack: attackPlaces},
	{name: "doors: how the daemon was started", env: append([]string{"ATTACK_SECRET_TOKEN=attack-secret"}, listening...), attack: attackStartup},
}

// over attaches a client over TCP; the scenario ends with it.
func (s *siege) over(conn *grpc.ClientConn, client string, start *pb.StartConversation) *kit.Stream {
	stream, err := s.daemon.Over(conn).Converse(s, client, start)
	s.must(err, "converse over TCP")
	s.streams = append(s.streams, stream)
	return stream
}

// evil is the beginning of a session whose agents would find their programs elsewhere.
func (s *siege) evil(id string) *pb.StartConversation {
	return &pb.StartConversation{
		SessionId: id, WorkingDirectory: s.world.Project,
		Environment: map[string]string{"PATH": "/evil", "LD_PRELOAD": "/evil.so", "NODE_OPTIONS": "--require /evil.js"},
	}
}

// attackEnvironment has a token with every right name the directory of programs.
func attackEnvironment(s *siege) {
	id := session()
	c := s.over(s.remote(s.address(), s.token("all", "admin")), "remote", s.evil(id))
	s.wait(c, 0, isNotice("ENVIRONMENT_IGNORED"))
	s.held("the client is told that its environment does not count", true, "")
	s.turn(c, "echo:hello")
	environ := s.environ(id)
	s.held("it does not reach the agent", strings.Contains(environ, "PATH=") && !strings.Contains(environ, "/evil"), "%q", environ)
}

// environ is the environment of a session's agent, without what it withholds.
func (s *siege) environ(id string) string {
	shown, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.must(err, "show the session")
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", shown.GetRun().GetPid()))
	s.must(err, "look at the agent")
	return string(raw)
}

// attackConfiguredEnvironment does the same where environments over TCP count.
func attackConfiguredEnvironment(s *siege) {
	id, conn := session(), s.remote(s.address(), s.token("control", "view", "control"))
	c := s.over(conn, "remote", s.evil(id))
	e, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetError() != nil || e.GetSessionInfo() != nil })
	s.held("a token without approve cannot hand one over", e.GetError().GetCode() == "PERMISSION_DENIED", "it got %v", e)
	_, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.held("no session has begun", status.Code(err) == codes.NotFound, "%v", err)
}

// attackApprover attaches with a token that may approve, and no more, to a session whose
// input lock is free.
func attackApprover(s *siege) {
	id := session()
	first := s.converse("person", id)
	s.turn(first, "echo:hello")
	first.Close()
	conn := s.remote(s.address(), s.token("phone", "approve"))
	phone := s.over(conn, "phone", &pb.StartConversation{SessionId: id})
	s.wait(phone, 0, kit.IsTurnComplete)
	from := len(phone.Events())
	s.say(phone, "echo:typed by the phone")
	s.wait(phone, from, func(e kit.Event) bool { return e.GetError() != nil })
	s.held("it cannot type", true, "")
	_, err := pb.NewAgentServiceClient(conn).RequestInputLock(s, &pb.InputLockRequest{SessionId: id})
	s.held("it cannot ask for the lock", status.Code(err) == codes.PermissionDenied, "%v", err)
	other := s.over(conn, "phone", &pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Project})
	refused, _ := s.wait(other, 0, func(e kit.Event) bool { return e.GetError() != nil || e.GetSessionInfo() != nil })
	s.held("it begins no session", refused.GetError() != nil, "%v", refused)

	owner := s.converse("person", id)
	s.say(owner, "run:touch made.txt")
	asked, next := s.wait(owner, 0, kit.IsPermission)
	s.held("the owner types at once", true, "")
	s.must(phone.Answer(asked.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "approve")
	s.wait(owner, next, kit.IsTurnComplete)
	s.held("it approves, which it may", s.exists(s.project("made.txt")), "it did not")
	had := slices.ContainsFunc(phone.Events(), func(e kit.Event) bool { return e.GetLock().GetHolder() == "phone" })
	s.held("it never has the lock", !had, "it had")
}

// attackPlaces takes as many of a session's streams as a token that may only view can get.
func attackPlaces(s *siege) {
	const streams, connections = 1200, 6
	id := session()
	first := s.converse("person", id)
	s.turn(first, "echo:hello")
	first.Close()
	address, viewer := s.address(), s.token("viewer", "view")
	var group sync.WaitGroup
	var attached, refused atomic.Int32
	for range connections {
		conn := s.remote(address, viewer)
		group.Go(func() {
			for range streams / connections {
				stream, err := pb.NewAgentServiceClient(conn).ResumeSession(s, &pb.ResumeSessionRequest{SessionId: id, Follow: true})
				if err == nil {
					_, err = stream.Recv()
				}
				if err != nil {
					refused.Add(1)
				} else {
					attached.Add(1)
				}
			}
		})
	}
	group.Wait()
	s.held("a token has a quota of streams", attached.Load() <= 1024 && refused.Load() > 0, "%d attached, %d refused", attached.Load(), refused.Load())
	owner := s.converse("person", id)
	s.wait(owner, 0, kit.IsTurnComplete)
	s.turn(owner, "echo:hello again")
	s.held("the owner attaches and types", true, "")
	phone := s.over(s.remote(address, s.token("control", "view", "control")), "phone", &pb.StartConversation{SessionId: id})
	s.wait(phone, 0, kit.IsTurnComplete)
	s.held("another token that may control attaches, too", true, "")
}

// attackStartup asks for the daemon's environment, which only a restart may read.
func attackStartup(s *siege) {
	admin := pb.NewAdminServiceClient(s.remote(s.address(), s.token("all", "admin")))
	told, err := admin.GetStartup(s, &pb.GetStartupRequest{})
	s.held("no token gets it", status.Code(err) == codes.PermissionDenied, "%v, %v", told, err)
	id := session()
	c := s.converse("person", id)
	s.say(c, fmt.Sprintf("run:%s --socket %s daemon restart >restart.out 2>&1; echo $? >code", s.world.Binary, s.world.Socket()))
	asked, next := s.wait(c, 0, kit.IsPermission)
	pid := s.daemon.PID()
	s.must(c.Answer(asked.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	s.wait(c, next, kit.IsTurnComplete)
	said, _ := os.ReadFile(s.project("restart.out"))
	s.held("nor does an agent", strings.Contains(string(said), "may only view") && !s.daemon.Ended(), "%s", said)
	const fromProc = "nor another process of the user, from /proc"
	if os.Geteuid() == 0 {
		s.untried(fromProc) // root may look at every process
		return
	}
	_, err = os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	s.held(fromProc, os.IsPermission(err), "%v", err)
}
