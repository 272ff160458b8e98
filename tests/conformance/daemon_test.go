package conformance

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// daemonStories are about the daemon as a whole.
var daemonStories = []story{
	{name: "health", env: []string{"BETCODE_MEMORY_LIMIT=1MiB"}, run: health},
	{name: "restart", run: restart},
	{name: "shutdown", run: shutdown},
	{name: "machine", run: machine},
	{name: "statuses", env: []string{"BETCODE_MAX_PAYLOAD=4MiB"}, run: statuses},
	{name: "log", run: theLog},
	{name: "log at its loudest", env: []string{"BETCODE_LOG_LEVEL=trace"}, run: theLoudLog},
}

// health as process managers, probes and people see it.
func health(s *stage) {
	ctx := s.Context()
	standard, err := healthpb.NewHealthClient(s.daemon.Conn()).Check(ctx, &healthpb.HealthCheckRequest{Service: "AgentService"})
	s.must(err)
	if standard.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		s.Errorf("it is %v", standard)
	}
	s.shows("Health Check Endpoints", "grpc.health.v1.Health/Check")
	s.shows("Process Manager Integration", "Kubernetes")
	ours := pb.NewHealthClient(s.daemon.Conn())
	_, err = ours.Check(ctx, &pb.HealthCheckRequest{Service: "Nobody"})
	s.refused(err, codes.NotFound, "Nobody")
	s.took("HealthCheckRequest", "service")
	watch, err := ours.Watch(ctx, &pb.HealthCheckRequest{})
	s.must(err)
	if now, err := watch.Recv(); err != nil || now.GetStatus() != pb.ServingStatus_SERVING {
		s.Errorf("watched: %v, %v", now, err)
	}
	checked, err := ours.Check(ctx, &pb.HealthCheckRequest{})
	s.must(err)
	if checked.GetStatus() != pb.ServingStatus_SERVING {
		s.Errorf("it is %v", checked)
	}
	s.shows("Daemon Health Criteria", "Overall SERVING")

	details, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	s.must(err)
	states := map[string]pb.ServingStatus{}
	for _, c := range details.GetComponents() {
		states[c.GetName()] = c.GetStatus()
	}
	for _, name := range []string{"sqlite", "local_server"} {
		if states[name] != pb.ServingStatus_SERVING {
			s.Errorf("%s is %v", name, states[name])
		}
		s.shows("Daemon Health Criteria", name+" SERVING")
	}
	if !details.GetDegraded() || !strings.HasPrefix(details.GetDegradedReason(), "Memory usage > 80%") ||
		details.GetMetadata()["degraded_states"] != "high_memory" {
		s.Errorf("it is %v", details)
	}
	s.shows("Degraded States", "high_memory")
	s.shows("Health Check Endpoints", "betcode.v1.BetCodeHealth/GetHealthDetails")
	s.shows("Daemon Health Criteria", "Check Interval")

	said := s.cli(0, "daemon", "status")
	for _, want := range []string{"Daemon: SERVING (degraded)\n  subprocess_pool: SERVING (0/5 slots used)\n  journal: SERVING\n", "local_server: SERVING", "Uptime: ", "Version: "} {
		if !strings.Contains(said, want) {
			s.Errorf("%q is not in\n%s", want, said)
		}
	}
	s.shows("CLI Health Command", "betcode daemon status")
	s.cli(0, "health") // what HEALTHCHECK of a container runs
	s.shows("Process Manager Integration", "Docker")
	unit, err := os.ReadFile(filepath.Join(kit.Repository(), "packaging", "systemd", "betcode.service"))
	if err != nil || !strings.Contains(string(unit), "Type=notify") || !strings.Contains(string(unit), "WatchdogSec=") {
		s.Errorf("the unit is %s, %v", unit, err)
	}
	s.shows("Process Manager Integration", "systemd")
}

// restart: the state that the next daemon finds.
func restart(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "gate:go\necho:through")
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	pid := s.show(id).GetRun().GetPid()
	s.daemon.Kill()
	s.start()
	shown := s.show(id) // the first call that is answered is after recovery
	if shown.GetSummary().GetStatus() != "active" || shown.GetRun().GetPid() != pid {
		s.Errorf("the next daemon knows %v", shown)
	}
	s.shows("Daemon Lifecycle", "START: restored before connections are accepted")
	s.shows("Startup Reconciliation", "1. Sessions: active ones become idle")
	if len(shown.GetAttached()) != 0 {
		s.Errorf("attached: %v", shown.GetAttached())
	}
	s.shows("Startup Reconciliation", "2. Connected clients")
	if shown.GetLockHolder() != "a" {
		s.Errorf("the lock is held by %q", shown.GetLockHolder())
	}
	s.shows("Startup Reconciliation", "3. Input locks")
	s.shows("Persistence", "sessions")
	s.write(s.file("go"), "")
	c = s.converse("a", &pb.StartConversation{SessionId: id})
	s.wait(c, 0, isTextWith("through"))
	_, err := s.daemon.Admin().StopSession(s.Context(), &pb.StopSessionRequest{SessionId: id})
	s.must(err)
}

// shutdown by a signal.
func shutdown(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	next := s.turn(c, 0, "echo:hello")
	s.say(c, "gate:never")
	s.wait(c, next, kit.IsStatus(pb.AgentStatus_THINKING))
	pid := int(s.show(id).GetRun().GetPid())

	s.must(config(s.world, `{"daemon": {"max_subprocesses": 2}}`))
	s.must(syscall.Kill(s.daemon.PID(), syscall.SIGHUP))
	s.eventually("the settings are read again", func() bool {
		return strings.Contains(s.cli(0, "daemon", "status"), "1/2 slots used")
	})
	s.shows("Daemon Lifecycle", "SIGHUP reloads the configuration")
	s.shows("Config Resolution", "4. $BETCODE_CONFIG_DIR/settings.json", "$BETCODE_CONFIG_DIR")

	s.must(syscall.Kill(s.daemon.PID(), syscall.SIGTERM))
	if err := c.WaitEnd(); status.Code(err) != codes.Unavailable {
		s.Errorf("the stream ends with %v", err)
	}
	s.shows("Daemon Lifecycle", "SHUTDOWN: clients are told")
	s.eventually("the daemon and its agent have ended", func() bool {
		_, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
		return s.daemon.Ended() && err != nil
	})
	s.shows("Daemon Lifecycle", "SHUTDOWN: agents are ended")
	_, err := s.daemon.Agents().ListSessions(s.Context(), &pb.ListSessionsRequest{})
	s.refused(err, codes.Unavailable)
	s.cli(2, "health")
	s.shows("Daemon Health Criteria", "local_server NOT_SERVING")
	s.start()
}

// machine is the one that the daemon is on.
func machine(s *stage) {
	api := pb.NewMachineServiceClient(s.daemon.Conn())
	list, err := api.ListMachines(s.Context(), &pb.ListMachinesRequest{})
	s.must(err)
	if len(list.GetMachines()) != 1 {
		s.Fatalf("machines: %v", list)
	}
	it := list.GetMachines()[0]
	got, err := api.GetMachine(s.Context(), &pb.GetMachineRequest{MachineId: it.GetId()})
	s.must(err)
	switched, err := api.SwitchMachine(s.Context(), &pb.SwitchMachineRequest{MachineId: it.GetId()})
	s.must(err)
	if got.GetId() != it.GetId() || switched.GetMachine().GetId() != it.GetId() || it.GetStatus() != pb.MachineStatus_ONLINE {
		s.Errorf("%v is %v", it, got)
	}
	_, err = api.GetMachine(s.Context(), &pb.GetMachineRequest{MachineId: "elsewhere"})
	s.refused(err, codes.NotFound)
	s.took("GetMachineRequest", "machine_id")
	s.took("SwitchMachineRequest", "machine_id")
}

// statuses that calls end with.
func statuses(s *stage) {
	ctx, api := s.Context(), s.daemon.Agents()
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.turn(c, 0, "echo:hello")
	stream, err := s.daemon.Resume(ctx, id, 100000)
	s.must(err)
	s.refused(stream.WaitEnd(), codes.OutOfRange)
	stream, err = s.daemon.Resume(ctx, session(), 0)
	s.must(err)
	s.refused(stream.WaitEnd(), codes.NotFound)
	_, err = api.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: id, Name: strings.Repeat("x", 5<<20)})
	s.refused(err, codes.ResourceExhausted)
	_, err = api.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: "x", Name: "y"})
	s.refused(err, codes.InvalidArgument)
	backup := filepath.Join(s.world.Root, "backup")
	for _, want := range []codes.Code{codes.OK, codes.AlreadyExists} {
		_, err = s.daemon.Admin().BackupJournal(ctx, &pb.BackupJournalRequest{Path: backup})
		s.refused(err, want)
	}
	s.refused(s.daemon.Conn().Invoke(ctx, "/betcode.v1.TunnelService/Register", &pb.ListMachinesRequest{}, &pb.Machine{}), codes.Unimplemented)
	c.Close()
	c = s.converse("b", &pb.StartConversation{SessionId: id})
	c.Close()
	_ = c.WaitEnd()

	// Requests from another time.
	request := &pb.ListSessionsRequest{Limit: 1}
	request.ProtoReflect().SetUnknown([]byte{0xf8, 0x7f, 0x01}) // field 2047
	list, err := api.ListSessions(ctx, request)
	s.must(err)
	if list.GetTotal() != 1 {
		s.Errorf("with an unknown field: %v", list)
	}

	for code, args := range map[int][]string{
		0: {"daemon", "status"}, 5: {"session", "list", "--nonsense"}, 6: {"session", "show", session()},
	} {
		s.cli(code, args...)
		s.shows("CLI Exit Codes", strconv.Itoa(code))
	}
	env := append(s.world.Environ(), "BETCODE_SOCKET="+filepath.Join(s.world.Root, "nobody.sock"))
	if said, code := s.command(append(env, "BETCODE_STATE_DIR="+filepath.Join(s.world.Root, "nothing")), "session", "list"); code != 2 || !strings.Contains(said, "betcode daemon start") {
		s.Errorf("without a daemon: exit %d\n%s", code, said)
	}
	s.shows("CLI Exit Codes", "2")
	s.shows("Local Server Transport", "Discovery: betcode daemon start is offered")
	said, code := s.command(env[:len(env)-1], "session", "list")
	if code != 0 {
		s.Errorf("exit %d\n%s", code, said)
	}
	s.cli(1, "run", "--session", id, "error:529")
	s.shows("CLI Exit Codes", "1")
	s.cli(4, "run", "--session", id, "error:429")
	s.shows("CLI Exit Codes", "4")
}

// theLog has the fields of the document, and no secrets of the conversation.
func theLog(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.turn(c, 0, "echo:nothing of this is logged")
	changed := s.logged("session changed")
	if changed["session_id"] != id || changed["level"] != "info" || changed["timestamp"] == nil || changed["target"] == nil {
		s.Errorf("logged as %v", changed)
	}
	c.Close()
	if ended := s.logged("call ended"); ended["span"] != "grpc/AgentService/Converse" {
		s.Errorf("logged as %v", ended)
	}
	if strings.Contains(s.daemon.Log(), "nothing of this") {
		s.Error("the log has what was said")
	}
	s.shows("Structured Logging", "INFO", "timestamp, level, session_id, span, target")
}

// theLoudLog has everything at the level of the document's table.
func theLoudLog(s *stage) {
	c := s.converse("a", &pb.StartConversation{SessionId: session()})
	s.say(c, "run:true")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_DENY)
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "exit:3\necho:again")
	s.wait(c, next, isError("SUBPROCESS_CRASHED"))
	for _, row := range []struct{ level, message string }{
		{"error", "agent failed"},
		{"warn", "permission denied"},
		{"debug", "line"},
		{"debug", "permission is asked of people"},
		{"trace", "raw line"},
		{"trace", "frame"},
	} {
		if entry := s.logged(row.message); entry["level"] != row.level {
			s.Errorf("at %s: %v", row.level, entry)
		}
		s.shows("Structured Logging", strings.ToUpper(row.level))
	}
}
