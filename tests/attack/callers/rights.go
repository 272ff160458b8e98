package callers

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
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// rightScenarios attack the claims of docs/security.md about rights of callers.
var rightScenarios = []siege.Scenario{
	{Name: "doors: an environment over TCP", Env: siege.Listening, Attack: attackEnvironment},
	{Name: "doors: an environment without approve", Env: append([]string{"BETCODE_LISTEN_ENVIRONMENT=true"}, siege.Listening...), Attack: attackConfiguredEnvironment},
	{Name: "doors: a token without control", Env: siege.Listening, Attack: attackApprover},
	{Name: "doors: places of a session", Env: siege.Listening, Attack: attackPlaces},
	{Name: "doors: how the daemon was started", Env: append([]string{"ATTACK_SECRET_TOKEN=attack-secret"}, siege.Listening...), Attack: attackStartup},
}

// over attaches a client over TCP; the scenario ends with it.
func over(s *siege.Siege, conn *grpc.ClientConn, client string, start *pb.StartConversation) *kit.Stream {
	stream, err := s.Daemon.Over(conn).Converse(s, client, start)
	s.Must(err, "converse over TCP")
	s.Streams = append(s.Streams, stream)
	return stream
}

// hostileStart begins a session with a PATH that leads its agents to other programs.
func hostileStart(s *siege.Siege, id string) *pb.StartConversation {
	return &pb.StartConversation{
		SessionId: id, WorkingDirectory: s.World.Project,
		Environment: map[string]string{"PATH": "/evil", "LD_PRELOAD": "/evil.so", "NODE_OPTIONS": "--require /evil.js"},
	}
}

// attackEnvironment has a token with every right name the directory of programs.
func attackEnvironment(s *siege.Siege) {
	id := siege.NewSession()
	c := over(s, s.Remote(s.Address(), s.Token("all", "admin")), "remote", hostileStart(s, id))
	s.Wait(c, 0, siege.IsNotice("ENVIRONMENT_IGNORED"))
	s.Held("the client is told that its environment does not count", true, "")
	s.Turn(c, "echo:hello")
	environ := environ(s, id)
	s.Held("it does not reach the agent", strings.Contains(environ, "PATH=") && !strings.Contains(environ, "/evil"), "%q", environ)
}

// environ is the environment of a session's agent, without what it withholds.
func environ(s *siege.Siege, id string) string {
	shown, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.Must(err, "show the session")
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", shown.GetRun().GetPid()))
	s.Must(err, "look at the agent")
	return string(raw)
}

// attackConfiguredEnvironment does the same where environments over TCP count.
func attackConfiguredEnvironment(s *siege.Siege) {
	id, conn := siege.NewSession(), s.Remote(s.Address(), s.Token("control", "view", "control"))
	c := over(s, conn, "remote", hostileStart(s, id))
	e, _ := s.Wait(c, 0, func(e kit.Event) bool { return e.GetError() != nil || e.GetSessionInfo() != nil })
	s.Held("a token without approve cannot hand one over", e.GetError().GetCode() == "PERMISSION_DENIED", "it got %v", e)
	_, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.Held("no session has begun", status.Code(err) == codes.NotFound, "%v", err)
}

// attackApprover attaches with a token that may approve, and no more, to a session whose
// input lock is free.
func attackApprover(s *siege.Siege) {
	id := siege.NewSession()
	first := s.Converse("person", id)
	s.Turn(first, "echo:hello")
	first.Close()
	conn := s.Remote(s.Address(), s.Token("phone", "approve"))
	phone := over(s, conn, "phone", &pb.StartConversation{SessionId: id})
	s.Wait(phone, 0, kit.IsTurnComplete)
	from := len(phone.Events())
	s.Say(phone, "echo:typed by the phone")
	s.Wait(phone, from, func(e kit.Event) bool { return e.GetError() != nil })
	s.Held("it cannot type", true, "")
	_, err := pb.NewAgentServiceClient(conn).RequestInputLock(s, &pb.InputLockRequest{SessionId: id})
	s.Held("it cannot ask for the lock", status.Code(err) == codes.PermissionDenied, "%v", err)
	other := over(s, conn, "phone", &pb.StartConversation{SessionId: siege.NewSession(), WorkingDirectory: s.World.Project})
	refused, _ := s.Wait(other, 0, func(e kit.Event) bool { return e.GetError() != nil || e.GetSessionInfo() != nil })
	s.Held("it begins no session", refused.GetError() != nil, "%v", refused)
	empty := siege.NewSession()
	begun := func(e kit.Event) bool { return e.GetSessionInfo() != nil }
	created := s.Converse("person", empty)
	s.Wait(created, 0, begun)
	created.Close()
	leaving := over(s, conn, "phone", &pb.StartConversation{SessionId: empty, DiscardUnused: true})
	s.Wait(leaving, 0, begun)
	leaving.Close()
	gone := s.BecomesQuickly(func() bool {
		_, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: empty})
		return status.Code(err) == codes.NotFound
	})
	s.Held("it discards no session of others", !gone, "it is gone")

	owner := s.Converse("person", id)
	s.Say(owner, "run:touch made.txt")
	asked, next := s.Wait(owner, 0, kit.IsPermission)
	s.Held("the owner types at once", true, "")
	s.Must(phone.Answer(asked.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "approve")
	s.Wait(owner, next, kit.IsTurnComplete)
	s.Held("it approves, which it may", s.Exists(s.Project("made.txt")), "it did not")
	had := slices.ContainsFunc(phone.Events(), func(e kit.Event) bool { return e.GetLock().GetHolder() == "phone" })
	s.Held("it never has the lock", !had, "it had")
}

// attackPlaces takes as many of a session's streams as a token that may only view can get.
func attackPlaces(s *siege.Siege) {
	const streams, connections = 1200, 6
	id := siege.NewSession()
	first := s.Converse("person", id)
	s.Turn(first, "echo:hello")
	first.Close()
	address, viewer := s.Address(), s.Token("viewer", "view")
	var group sync.WaitGroup
	var attached, refused atomic.Int32
	for range connections {
		conn := s.Remote(address, viewer)
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
	s.Held("a token has a quota of streams", attached.Load() <= 1024 && refused.Load() > 0, "%d attached, %d refused", attached.Load(), refused.Load())
	owner := s.Converse("person", id)
	s.Wait(owner, 0, kit.IsTurnComplete)
	s.Turn(owner, "echo:hello again")
	s.Held("the owner attaches and types", true, "")
	phone := over(s, s.Remote(address, s.Token("control", "view", "control")), "phone", &pb.StartConversation{SessionId: id})
	s.Wait(phone, 0, kit.IsTurnComplete)
	s.Held("another token that may control attaches, too", true, "")
}

// attackStartup asks for the daemon's environment, which only a restart may read.
func attackStartup(s *siege.Siege) {
	admin := pb.NewAdminServiceClient(s.Remote(s.Address(), s.Token("all", "admin")))
	told, err := admin.GetStartup(s, &pb.GetStartupRequest{})
	s.Held("no token gets it", status.Code(err) == codes.PermissionDenied, "%v, %v", told, err)
	id := siege.NewSession()
	c := s.Converse("person", id)
	s.Say(c, fmt.Sprintf("run:%s --socket %s daemon restart >restart.out 2>&1; echo $? >code", s.World.Binary, s.World.Socket()))
	asked, next := s.Wait(c, 0, kit.IsPermission)
	pid := s.Daemon.PID()
	s.Must(c.Answer(asked.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	s.Wait(c, next, kit.IsTurnComplete)
	said, _ := os.ReadFile(s.Project("restart.out"))
	s.Held("nor does an agent", strings.Contains(string(said), "may only view") && !s.Daemon.Ended(), "%s", said)
	const fromProc = "nor another process of the user, from /proc"
	if os.Geteuid() == 0 {
		s.Untried(fromProc) // root may look at every process
		return
	}
	_, err = os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	s.Held(fromProc, os.IsPermission(err), "%v", err)
}
