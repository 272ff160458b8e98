package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/eventtest"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

func TestChat(t *testing.T) {
	d := serveFake(t, &fakeDaemon{talk: func(_ *fakeDaemon, s *script) error {
		text, key := s.accept()
		s.send(eventtest.Status(pb.AgentStatus_THINKING), eventtest.Text("You said "+text+"."), eventtest.Asks("r", "Bash", "ls"), eventtest.Status(pb.AgentStatus_WAITING_FOR_USER))
		decision := s.next().GetPermission().GetDecision()
		s.send(eventtest.Resolved("r"), eventtest.Call("Bash", "ls"), eventtest.Text(decision.String()))
		s.send(eventtest.TurnOver(key)...)
		text, key = s.accept()
		s.send(eventtest.Text("And " + text + "."))
		s.send(eventtest.TurnOver(key)...)
		return s.wait()
	}})
	code, stdout, stderr := command(t, "hello\na\nmore\n", "chat", "--cwd", t.TempDir())
	want := `You said hello.
? allow Bash: ls
    command: ls
  y = yes, a = yes for the whole session, e COMMAND = this instead, n = no, d TEXT = no, and tell the agent, x = no, and stop
allowed by web
● Bash  ls
ALLOW_SESSION
10 tokens in, 2 out, $0.0100
And more.
10 tokens in, 2 out, $0.0100
`
	if code != 0 || stdout != want {
		t.Errorf("exit %d, %s\ngot\n%s\nwant\n%s", code, stderr, stdout, want)
	}
	if len(d.starts) != 1 || d.starts[0].GetObserver() {
		t.Errorf("starts %v", d.starts)
	}
}

func TestAttach(t *testing.T) {
	for args, want := range map[string]*pb.StartConversation{
		"":                           {SessionId: sessionA, History: pb.HistoryPolicy_HISTORY_POLICY_FULL},
		"--read-only":                {SessionId: sessionA, History: pb.HistoryPolicy_HISTORY_POLICY_FULL, Observer: true},
		"--history pending":          {SessionId: sessionA, History: pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY},
		"--history none --read-only": {SessionId: sessionA, History: pb.HistoryPolicy_HISTORY_POLICY_NONE, Observer: true},
		"--from 7":                   {SessionId: sessionA, History: pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE, FromSequence: 7},
	} {
		t.Run(args, func(t *testing.T) {
			d := serveFake(t, &fakeDaemon{sessions: exampleSessions("/w"), talk: func(_ *fakeDaemon, s *script) error {
				s.send(eventtest.Text("seen"))
				return nil
			}})
			code, stdout, stderr := command(t, "", append([]string{"session", "attach", "demo"}, strings.Fields(args)...)...)
			if code != 0 || stdout != "seen\n" {
				t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
			}
			want.KeepsPrompts = true
			if got := d.starts[0]; got.String() != want.String() {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	serveFake(t, &fakeDaemon{sessions: exampleSessions("/w")})
	for args, want := range map[string]int{"": 5, "nobody": 6, "demo --history some": 5, "demo --history full --from 3": 5, "demo --read-only --take-lock": 5} {
		if code, _, stderr := command(t, "", append([]string{"session", "attach"}, strings.Fields(args)...)...); code != want {
			t.Errorf("%q: exit %d, want %d: %s", args, code, want, stderr)
		}
	}
}

func TestSessions(t *testing.T) {
	dir := t.TempDir()
	d := serveFake(t, &fakeDaemon{sessions: exampleSessions(dir)})
	if code, out, _ := command(t, "", "session", "ls", "-q"); code != 0 || out != sessionA+"\n"+sessionB+"\n" {
		t.Errorf("ls -q: %d %q", code, out)
	}
	if code, out, _ := command(t, "", "session", "list", "--cwd", dir, "-q"); code != 0 || out != sessionA+"\n" {
		t.Errorf("ls --cwd: %d %q", code, out)
	}
	var list struct {
		Schema   string
		Total    int
		Sessions []struct{ ID, Status string }
	}
	code, out, _ := command(t, "", "session", "list", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || list.Schema != "betcode.session.list/v2" || list.Total != 2 || list.Sessions[1].Status != "active" {
		t.Errorf("ls --json: %d %v %s", code, err, out)
	}
	d.show = &pb.ShowSessionResponse{
		Summary: d.sessions[0], Head: 7, Run: &pb.RunInfo{Run: 2, Pid: 33, State: pb.RunState_RUN_STATE_STARTED},
		Permissions: []*pb.PendingPermission{{RequestId: "req", ToolName: "Bash", Description: "ls"}},
		Grants:      []*pb.SessionGrantEntry{{ToolName: "Edit", Granted: true}},
	}
	code, out, _ = command(t, "", "session", "show", "demo")
	for _, part := range []string{"id           " + sessionA, "run 2, pid 33, running", "waiting      req: Bash ls", "grant        Edit allowed", "sequence     7"} {
		if code != 0 || !strings.Contains(out, part) {
			t.Errorf("show: %d, no %q in\n%s", code, part, out)
		}
	}
	if code, out, _ = command(t, "", "session", "show", "demo", "--json"); code != 0 || !strings.Contains(out, `"schema": "betcode.session/v2"`) {
		t.Errorf("show --json: %d %s", code, out)
	}
	for _, args := range []string{"rename demo better", "stop demo", "resume demo", "restart demo", "rm demo --yes"} {
		if code, _, stderr := command(t, "", append([]string{"session"}, strings.Fields(args)...)...); code != 0 {
			t.Errorf("%s: %d %s", args, code, stderr)
		}
	}
	for _, call := range []string{"rename " + sessionA + " better", "stop " + sessionA, "resume " + sessionA, "restart " + sessionA, "delete " + sessionA} {
		if !slices.Contains(d.calls, call) {
			t.Errorf("no %q in %q", call, d.calls)
		}
	}
	if code, _, stderr := command(t, "", "session", "rm", "demo"); code != 5 || !strings.Contains(stderr, "--yes") {
		t.Errorf("rm without --yes: %d %s", code, stderr)
	}
}

func TestPermissions(t *testing.T) {
	d := serveFake(t, &fakeDaemon{pending: []*pb.PendingPermission{
		{RequestId: "req-abc", SessionId: sessionA, ToolName: "Bash", Description: "ls"},
		{RequestId: "req-abd", SessionId: sessionA, ToolName: "AskUserQuestion", Question: true, Questions: []*pb.UserQuestion{
			eventtest.Question("req-abd/0", "Which?", false, "main", "dev").GetUserQuestion(),
			eventtest.Question("req-abd/1", "Why?", false).GetUserQuestion(),
		}},
	}})
	code, out, _ := command(t, "", "permission", "list")
	if want := "req-abc\t" + sessionA + "\tBash\t\t\tls\nreq-abd\t" + sessionA + "\tAskUserQuestion\t\t\tWhich? (and 1 more)\n"; code != 0 || out != want {
		t.Errorf("list: %d\ngot  %q\nwant %q", code, out, want)
	}
	for _, test := range []struct {
		args []string
		code int
		want string // of the request sent, in part
	}{
		{[]string{"allow", "req-abc"}, 0, "decision:ALLOW_ONCE"},
		{[]string{"allow", "req-abc", "--always"}, 0, "decision:ALLOW_SESSION"},
		{[]string{"allow", "req-abc", "--input", `{"command":"pwd"}`}, 0, "decision:ALLOW_WITH_EDIT"},
		{[]string{"deny", "req-abc", "-m", "no"}, 0, `decision:DENY message:"no"`},
		{[]string{"deny", "req-abc", "--interrupt"}, 0, "decision:DENY_WITH_INTERRUPT"},
		{[]string{"answer", "req-abd", "2", "because"}, 0, `answers:{key:"Which?" value:"dev"} answers:{key:"Why?" value:"because"}`},
		{[]string{"answer", "req-abd", "2"}, 5, ""},
		{[]string{"answer", "req-abd", "3", "x"}, 5, ""},
		{[]string{"answer", "req-abc", "x"}, 5, ""},
		{[]string{"answer", "nope", "x"}, 6, ""},
		{[]string{"allow"}, 5, ""},
		{[]string{"allow", "req-abc", "--input", "[1]"}, 5, ""},
		{[]string{"allow", "req-abc", "--input", "{}", "--always"}, 5, ""},
	} {
		before := len(d.answered)
		code, _, stderr := command(t, "", append([]string{"permission"}, test.args...)...)
		if code != test.code || (len(d.answered) > before) != (test.want != "") {
			t.Errorf("%q: exit %d, want %d: %s", test.args, code, test.code, stderr)
			continue
		}
		if test.want != "" {
			if got := strings.ReplaceAll(d.answered[before].String(), "  ", " "); !strings.Contains(got, test.want) {
				t.Errorf("%q sent %s, want %s", test.args, got, test.want)
			}
			outcome := "your answer is the same"
			if test.args[0] == "answer" {
				outcome = "the earlier answers count"
			}
			if before > 0 && !strings.Contains(stderr, "answered before by web; "+outcome) {
				t.Errorf("%q: %s", test.args, stderr)
			}
		}
	}
}

func TestExplainPermission(t *testing.T) {
	serveFake(t, &fakeDaemon{})
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"Bash ls", 0, "ask: Bash ls\n  by allow x\n  note: y\n"},
		{"Bash --input {\"command\":\"ls\"} --session demo", 0, ""},
		{"Bash", 5, ""},
		{"Bash ls --input {}", 5, ""},
		{"Bash --input [1]", 5, ""},
		{"Bash ls --session demo --cwd /", 5, ""},
	} {
		code, out, stderr := command(t, "", append([]string{"permission", "explain"}, strings.Fields(test.args)...)...)
		if code != test.code || (test.want != "" && out != test.want) {
			t.Errorf("%s: exit %d, %q, %s", test.args, code, out, stderr)
		}
	}
}

func TestTreeStatusVersion(t *testing.T) {
	d := serveFake(t, &fakeDaemon{})
	if code, out, _ := command(t, "", "tree"); code != 0 || !strings.HasPrefix(out, "daemon  running\n├── journal") {
		t.Errorf("tree: %d %s", code, out)
	}
	if code, out, _ := command(t, "", "tree", "--json"); code != 0 || !strings.Contains(out, `"schema": "betcode.tree/v2"`) {
		t.Errorf("tree --json: %d %s", code, out)
	}
	if code, out, _ := command(t, "", "daemon", "status"); code != 0 || !strings.HasPrefix(out, "Daemon: SERVING (degraded)\n  subprocess_pool:") {
		t.Errorf("status: %d %s", code, out)
	}
	if code, out, _ := command(t, "", "daemon", "status", "--json"); code != 0 || !strings.Contains(out, `"running": true`) || !strings.Contains(out, `"degraded": true`) {
		t.Errorf("status --json: %d %s", code, out)
	}
	if code, out, stderr := command(t, "", "version"); code != 0 || !strings.Contains(out, "daemon  9.9.9") || !strings.Contains(stderr, "another version") {
		t.Errorf("version: %d %s %s", code, out, stderr)
	}
	if code, _, stderr := command(t, "", "daemon", "start"); code != 0 || !strings.Contains(stderr, "already answers") {
		t.Errorf("start: %d %s", code, stderr)
	}
	if code, _, stderr := command(t, "", "daemon", "start", "--max-agents", "9", "--log-level", "debug"); code != 0 ||
		!strings.Contains(stderr, "does not take --log-level, --max-agents: betcode daemon restart") {
		t.Errorf("start with flags: %d %s", code, stderr)
	}
	d.health = &pb.HealthDetailsResponse{OverallStatus: pb.ServingStatus_NOT_SERVING}
	if code, out, _ := command(t, "", "daemon", "status"); code != 7 || !strings.HasPrefix(out, "Daemon: NOT_SERVING\n") {
		t.Errorf("status: %d %s", code, out)
	}
	if code, _, stderr := command(t, "", "daemon", "stop"); code != 0 || !strings.Contains(stderr, "has stopped") {
		t.Errorf("stop: %d %s", code, stderr)
	}
	if code, _, stderr := command(t, "", "daemon", "stop"); code != 0 || !strings.Contains(stderr, "No daemon answers") {
		t.Errorf("stop again: %d %s", code, stderr)
	}
}

func TestNoDaemon(t *testing.T) {
	isolate(t)
	for _, args := range []string{"session list", "run hi", "chat", "tree", "permission list", "daemon status"} {
		code, _, stderr := command(t, "", strings.Fields(args)...)
		if code != exit.Connection || !strings.Contains(stderr, "betcode daemon start") || !strings.Contains(stderr, "there is no socket") {
			t.Errorf("%s: exit %d, %q", args, code, stderr)
		}
	}
	if code, out, _ := command(t, "", "daemon", "status", "--json"); code != exit.Connection || !strings.Contains(out, `"running": false`) {
		t.Errorf("status --json: %d %s", code, out)
	}
	if code, _, stderr := command(t, "", "version"); code != 0 || !strings.Contains(stderr, "No daemon") {
		t.Errorf("version: %d %s", code, stderr)
	}
	if err := os.WriteFile(os.Getenv("BETCODE_SOCKET"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, "", "tree"); code != exit.Connection || !strings.Contains(stderr, "no answer") {
		t.Errorf("dead socket: %d %q", code, stderr)
	}
}

func TestUsage(t *testing.T) {
	isolate(t)
	for args, want := range map[string]string{
		"sesion list":                 "Did you mean 'betcode session'?",
		"resume":                      "Did you mean 'betcode session resume'?",
		"session lst":                 "Did you mean 'betcode session list'?",
		"run --foo":                   "there is no flag '--foo'. Run 'betcode run --help'",
		"session stop -o json":        "there is no flag '-o'. Run 'betcode session stop --help'",
		"session new -o png":          "it is table, wide, json",
		"--foo":                       "there is no flag '--foo'. Run 'betcode --help'",
		"session show":                "takes 1 argument",
		"tree x":                      "takes no arguments",
		"session rename a":            "takes 2 arguments",
		"daemon run --log-level loud": "trace",
		"tree --socket " + strings.Repeat("/x", 60): "107",
		"tree --connect-timeout soon":               "30s",
		"events -n x":                               `-n "x": it is no number from 0. Run 'betcode events --help'`,
		"daemon logs --tail -4":                     `--tail "-4": it is no number from 0`,
		"daemon stop --timeout soon":                `--timeout "soon": it is no time such as 90s or 2h`,
		"ps --all=perhaps":                          `--all "perhaps": it is neither true nor false`,
		"search --cost-min much x":                  `--cost-min "much": it is no number.`,
		"run --model":                               "the flag '--model' needs a value. Run 'betcode run --help'",
		"config get log-level":                      "did you mean daemon.log_level?",
		"config get disk.lwo":                       "'betcode config show' lists them",
	} {
		if code, _, stderr := command(t, "", strings.Fields(args)...); code != exit.Invalid || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q does not say %q", args, code, stderr, want)
		}
	}
	for args, want := range map[string]string{
		"help": "COMMANDS:", "help run": "--permissions ask", "session": "attach", "exit-codes": "130", "environment": "BETCODE_AUTOSTART", "run --help": "Ctrl-C",
		"--version": "betcode version dev",
	} {
		if code, out, stderr := command(t, "", strings.Fields(args)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%q: exit %d, %q %q does not say %q", args, code, out, stderr, want)
		}
	}
}

// TestDaemonThatDoesNotStart: the log has the reason, and the exit code is that of a failed connection. The
// program that is started is the test binary, which does not know the arguments of a daemon.
func TestDaemonThatDoesNotStart(t *testing.T) {
	isolate(t)
	state := filepath.Join(os.Getenv("HOME"), "state")
	code, _, stderr := command(t, "", "daemon", "start", "--state-dir", state, "--timeout", "20s")
	if code != exit.Connection || !strings.Contains(stderr, "it ended at once") || !strings.Contains(stderr, filepath.Join(state, "daemon.log")) {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// A session without a message is answered at once: the daemon waits for a message behind the start of clients that do not say
// that they keep prompts.
func TestNewSessionIsAnsweredAtOnce(t *testing.T) {
	d := serveFake(t, &fakeDaemon{talk: func(_ *fakeDaemon, s *script) error {
		s.send(&pb.AgentEvent{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{SessionId: s.start.GetSessionId()}}})
		return nil
	}})
	code, stdout, stderr := command(t, "", "session", "new", "--cwd", t.TempDir())
	if code != 0 || stdout != d.starts[0].GetSessionId()+"\n" || !d.starts[0].GetKeepsPrompts() {
		t.Errorf("exit %d, %q, %q: %v", code, stdout, stderr, d.starts)
	}
}
