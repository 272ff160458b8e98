package conformance

import (
	"strings"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// agentStories are about the processes of agents.
var agentStories = []story{
	{name: "crash", run: crash},
	{name: "crash after crash", env: []string{"FAKE_AGENT_EXIT_AT_START=3"}, run: crashes},
	{name: "rest", env: []string{"BETCODE_PARK_AFTER=1s"}, run: rest},
	{name: "hang", env: []string{"BETCODE_AGENT_SILENCE=2s"}, run: hang},
	{name: "pool", env: []string{"BETCODE_MAX_AGENTS=1", "BETCODE_MAX_WAITING=1"}, run: pool},
	{name: "an agent and its daemon", run: self},
}

// crash: an agent that dies in a turn is resumed, and the turn goes on.
func crash(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "exit:1\necho:second try")
	_, next := s.wait(c, 0, isError("SUBPROCESS_CRASHED"))
	resumed, next := s.wait(c, next, func(e kit.Event) bool { return e.GetRun().GetResumed() })
	s.wait(c, next, isTextWith("try"))
	_, next = s.wait(c, next, kit.IsIdle)
	s.turn(c, next, "echo:and on")
	if argv := s.arguments(id); !follows(argv, "--resume", resumed.GetRun().GetAgentSessionId()) && !follows(argv, "--resume", id) {
		s.Errorf("it was resumed as %q", argv)
	}
	s.shows("Spawn command", "--resume")
	s.shows("Process lifecycle", "Exit other than 0: restarted with --resume")
	s.shows("Crash recovery", "The conversation goes on after a crash")
	s.shows("Error Handling", "Claude exits non-zero")
}

// crashes: after five in a minute the session stops and reports that.
func crashes(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "echo:never")
	s.wait(c, 0, isNotice("AGENT_GAVE_UP"))
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_ERROR))
	n := 0
	for _, e := range c.Events() {
		if isError("SUBPROCESS_CRASHED")(e) {
			n++
			if said := e.GetError().GetDetails()["stderr"]; !strings.Contains(said, "told to exit at start") {
				s.Errorf("it wrote to its standard error, and %q is published", said)
			}
		}
	}
	if n != 5 || s.show(id).GetSummary().GetStatus() != "crashed" {
		s.Errorf("%d crashes, and it is %q", n, s.show(id).GetSummary().GetStatus())
	}
	s.shows("Crash recovery", "stderr is told with the crash")
	s.shows("Crash recovery", "After 5 crashes in 60s clients are told CRASHED")
}

// rest: an agent that exits normally leaves an idle session.
func rest(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	next := s.turn(c, 0, "echo:hello")
	exited, next := s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	if exited.GetRun().GetExitCode() != 0 || s.show(id).GetSummary().GetStatus() != "idle" {
		s.Errorf("it ended as %v", exited)
	}
	s.turn(c, next, "echo:hello again")
	again, _ := s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	late := s.converse("late", &pb.StartConversation{SessionId: id})
	info, _ := s.wait(late, 0, func(e kit.Event) bool { return e.GetSessionInfo().GetIsResumed() })
	if used := info.GetSessionInfo().GetContextUsagePercent(); used <= 0 || used > 1 { // some 20 tokens of a million
		s.Errorf("its context is %v%% full", used)
	}
	if !again.GetRun().GetResumed() || info.GetSessionInfo().GetMessageCount() == 0 {
		s.Errorf("the next one is %v, %v", again, info)
	}
	s.shows("Process lifecycle", "Exit 0: IDLE")
	s.shows("Error Handling", "Claude exits 0")
}

// hang: an agent that is silent in a turn is ended and resumed.
func hang(s *stage) {
	c := s.converse("a", &pb.StartConversation{})
	s.say(c, "hang\necho:awake")
	_, next := s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	_, next = s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	s.turn(c, next, "echo:on it goes")
	s.shows("Error Handling", "Claude hangs")
}

// pool: with one slot a second session waits, and a third is refused.
func pool(s *stage) {
	details := func() *pb.HealthDetailsResponse {
		health, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(s.Context(), &pb.HealthDetailsRequest{})
		s.must(err)
		return health
	}
	component := func(name string) *pb.ComponentHealth {
		for _, c := range details().GetComponents() {
			if c.GetName() == name {
				return c
			}
		}
		s.Fatalf("there is no component %s", name)
		return nil
	}
	if c := component("subprocess_pool"); c.GetStatus() != pb.ServingStatus_SERVING || c.GetMessage() != "0/1 slots used" || c.GetLastCheck() == nil {
		s.Errorf("it is %v", c)
	}
	s.shows("Daemon Health Criteria", "subprocess_pool SERVING")
	first := s.converse("a", &pb.StartConversation{})
	s.say(first, "gate:go")
	s.wait(first, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	second := s.converse("b", &pb.StartConversation{})
	s.say(second, "echo:second")
	s.wait(second, 0, isNotice("WAITING_FOR_SLOT"))
	third := session()
	c := s.converse("c", &pb.StartConversation{SessionId: third})
	s.say(c, "echo:third")
	full, _ := s.wait(c, 0, isError("POOL_EXHAUSTED"))
	if full.GetError().GetDetails()["session_id"] != third {
		s.Errorf("refused as %v", full)
	}
	if c := component("subprocess_pool"); c.GetStatus() != pb.ServingStatus_NOT_SERVING {
		s.Errorf("with a full queue it is %v", c)
	}
	health := details()
	if health.GetOverallStatus() != pb.ServingStatus_SERVING || !health.GetDegraded() ||
		!strings.HasPrefix(health.GetDegradedReason(), "All subprocess slots in use") || health.GetMetadata()["degraded_states"] != "subprocess_pool_full" {
		s.Errorf("the daemon is %v", health)
	}
	s.shows("Daemon Health Criteria", "subprocess_pool NOT_SERVING", "Overall SERVING with degraded")
	s.shows("Degraded States", "subprocess_pool_full")
	_, err := s.daemon.Admin().RestartSession(s.Context(), &pb.RestartSessionRequest{SessionId: third})
	s.refused(err, codes.ResourceExhausted, "the queue is full")
	s.write(s.file("go"), "")
	s.wait(second, 0, kit.IsTurnComplete)
}

// self: what an agent starts may look, and not decide.
func self(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "run:"+s.world.Binary+" session stop "+id+" 2>&1; echo exit $?")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	refused, _ := s.wait(c, next, isResult("exit 3"))
	if !strings.Contains(refused.GetToolCallResult().GetOutput(), "agents may only view") {
		s.Errorf("it got %v", refused)
	}
	s.shows("gRPC Status Code Mapping", "PERMISSION_DENIED")
	s.shows("CLI Exit Codes", "3")
}
