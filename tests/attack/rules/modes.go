package rules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// modeScenarios attack the claims of docs/security.md about permission modes in which Claude Code
// decides by itself.
var modeScenarios = []siege.Scenario{
	{Name: "modes: nobody has confirmed it", Real: true, Before: makeProject, Attack: modeUnconfirmed},
	{Name: "modes: edits above protected files", Real: true, Attack: modeExposed},
	{Name: "modes: settings of the agent", Real: true, Before: makeModeSettings, Attack: modeOfSettings},
	{Name: "modes: a caller without the right", Env: []string{"BETCODE_LISTEN_TCP=127.0.0.1:0"}, Attack: modeOfController},
	{Name: "modes: a restored journal", Env: []string{"IS_SANDBOX=1"}, Attack: modeRestored},
}

const bypass = "bypassPermissions"

// isModeRequest reports whether an event asks to confirm a mode.
func isModeRequest(e kit.Event) bool {
	return e.GetPermissionRequest().GetToolName() == "PermissionMode" && !e.GetPermissionRequest().GetIsReplay()
}

// setMode changes the mode of a session that runs.
func setMode(s *siege.Siege, c *kit.Stream, mode string) {
	s.Must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{PermissionMode: mode}}}), "change the mode")
}

// decide answers the newest request to confirm a mode from a place on.
func decide(s *siege.Siege, c *kit.Stream, from int, decision pb.PermissionDecision) int {
	e, next := s.Wait(c, from, isModeRequest)
	id := e.GetPermissionRequest().GetRequestId()
	s.Must(c.Answer(id, decision, ""), "answer")
	_, next = s.Wait(c, next, func(e kit.Event) bool { return e.GetPermissionResolved().GetRequestId() == id })
	return next
}

func modeUnconfirmed(s *siege.Siege) {
	id := siege.NewSession()
	c := s.ConverseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Project, PermissionMode: bypass})
	e, _ := s.Wait(c, 0, isModeRequest)
	s.Held("the request says what it means", strings.HasPrefix(e.GetPermissionRequest().GetDescription(), bypass+": shell commands run without a request"),
		"%q", e.GetPermissionRequest().GetDescription())
	touched := func(name string) func() bool { return func() bool { return s.Exists(s.Project(name)) } }
	s.MustAsk(c, "before the answer the agent asks", "bash: touch before.txt", touched("before.txt"))
	said, _ := s.Cli("permission", "explain", id, "Bash", "touch x")
	s.Held("permission explain says that the agent asks", strings.Contains(said, "agent: asks: ") && strings.Contains(said, "agent: mode default"), "%s", said)
	at := decide(s, c, 0, pb.PermissionDecision_DENY)
	s.MustAsk(c, "after a denial too", "bash: touch denied.txt", touched("denied.txt"))
	setMode(s, c, bypass)
	at = decide(s, c, at, pb.PermissionDecision_DENY_WITH_INTERRUPT)
	s.MustAsk(c, "a change of the mode is asked about as well", "bash: touch changed.txt", touched("changed.txt"))

	setMode(s, c, bypass)
	at = decide(s, c, at, pb.PermissionDecision_ALLOW_ONCE)
	s.Wait(c, at, kit.IsRun(pb.RunState_RUN_STATE_EXITED)) // an agent in the new mode replaces it
	_, asked := s.Asked(c, "bash: touch allowed.txt")
	s.Held("a person can confirm it", !asked && s.Exists(s.Project("allowed.txt")), "asked: %t", asked)
	s.Held("the audit log has it", s.Audited("PermissionMode"), "no entry")
	said, _ = s.Cli("permission", "explain", id, "Bash", "touch x")
	s.Held("permission explain says that it asks no longer", strings.Contains(said, "agent: runs it without asking") && strings.Contains(said, "agent: mode "+bypass), "%s", said)
	setMode(s, c, "default")
	setMode(s, c, bypass)
	s.Until("the mode is entered again", func() bool { return s.Shown(id).GetPermissionMode() == bypass })
	s.Held("once in a session", len(s.Shown(id).GetPermissions()) == 0 && slices.Equal(s.Shown(id).GetConfirmedModes(), []string{bypass}), "%v", s.Shown(id))
}

// modeExposed accepts edits in a directory that has protected files in it which the agent
// itself does not protect.
func modeExposed(s *siege.Siege) {
	id, key := siege.NewSession(), filepath.Join(s.World.Home, ".ssh", "authorized_keys")
	s.Write(filepath.Join(s.World.Home, ".ssh", "config"), "x\n")
	c := s.ConverseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Home, PermissionMode: "acceptEdits"})
	at := decide(s, c, 0, pb.PermissionDecision_DENY)
	s.MustAsk(c, "a shell command at the agent's start", "bash: cp .ssh/config "+key, func() bool { return s.Exists(key) })

	// The agent suggests the mode with each request to write; a client takes all it suggests.
	from := len(c.Events())
	s.Say(c, "write: "+filepath.Join(s.World.Home, "plain.txt"))
	e, _ := s.Wait(c, from, kit.IsPermission)
	request := e.GetPermissionRequest()
	var suggestions []struct{ Type, Mode string }
	s.Must(json.Unmarshal(request.GetSuggestions(), &suggestions), "read the suggestions")
	answer := &pb.PermissionResponse{RequestId: request.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE}
	for n, one := range suggestions {
		if one.Type == "setMode" {
			answer.ApplySuggestions = append(answer.ApplySuggestions, uint32(n))
		}
	}
	if len(answer.GetApplySuggestions()) == 0 {
		s.Fail("the agent suggests no mode: %s", request.GetSuggestions())
	}
	s.Must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: answer}}), "answer")
	s.Wait(c, from, kit.IsTurnComplete)
	s.Held("the call runs", s.Exists(filepath.Join(s.World.Home, "plain.txt")), "it does not")
	s.MustAsk(c, "a shell command after the suggestion", "bash: cp .ssh/config "+key, func() bool { return s.Exists(key) })
	decide(s, c, at, pb.PermissionDecision_ALLOW_ONCE)
	s.Until("the mode is entered when it is confirmed", func() bool { return s.Shown(id).GetPermissionMode() == "acceptEdits" })
	link := filepath.Join(s.World.Root, "link")
	s.Must(os.Symlink(s.World.Home, link), "link")
	c = s.ConverseWith("b", &pb.StartConversation{SessionId: siege.NewSession(), WorkingDirectory: link, PermissionMode: "acceptEdits"})
	s.Wait(c, 0, isModeRequest)
	s.Held("a link to such a directory is recognised", true, "")
}

// makeModeSettings has the agent's user and a trusted directory want modes.
func makeModeSettings(s *siege.Siege) {
	makeProject(s)
	s.Write(filepath.Join(s.World.Home, ".claude", "settings.json"), `{"permissions": {"defaultMode": "bypassPermissions"}, "skipDangerousModePermissionPrompt": true}`)
	s.Write(s.Project(".claude/settings.json"), `{"permissions": {"defaultMode": "acceptEdits"}}`)
}

func modeOfSettings(s *siege.Siege) {
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	if code != 0 {
		s.Fail("trust: %s", printed)
	}
	id := siege.NewSession()
	c := s.Converse("a", id)
	s.MustAsk(c, "bypassPermissions of the user", "bash: touch user.txt", func() bool { return s.Exists(s.Project("user.txt")) })
	s.MustAsk(c, "acceptEdits of the directory", "write: "+s.Project("project.txt"), func() bool { return s.Exists(s.Project("project.txt")) })
	s.Write(s.Project(".claude/settings.local.json"), `{"permissions": {"defaultMode": "bypassPermissions"}}`)
	s.MustAsk(c, "settings that appear", "bash: touch local.txt", func() bool { return s.Exists(s.Project("local.txt")) })
	s.Held("the session is in no such mode", s.Shown(id).GetPermissionMode() != bypass && s.Shown(id).GetPermissionMode() != "acceptEdits", "%s", s.Shown(id).GetPermissionMode())
}

// modeOfController has a token that may control sessions and not approve.
func modeOfController(s *siege.Siege) {
	over := []string{"--address", s.Address(), "--token-file", s.Token("control", "view", "control"), "--socket", "/nowhere/s"}
	run := func(more ...string) (string, int) {
		return s.Cli(append(append(slices.Clone(over), "run"), more...)...)
	}
	id := siege.NewSession()
	c := s.Converse("a", id)
	s.Turn(c, "hello")
	s.Must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: pb.LockAction_LOCK_ACTION_RELEASE}}}), "release the lock")
	run("--session", id, "--permission-mode", bypass, "hello") // the mode is refused, the message is accepted
	run("--session", id, "--permission-mode", bypass, "--confirm-mode", "hello")
	for name, flags := range map[string][]string{
		"a new session":                {"--permission-mode", bypass, "hello"},
		"a new session, confirmed":     {"--permission-mode", bypass, "--confirm-mode", "hello"},
		"accepted edits":               {"--permission-mode", "acceptEdits", "hello"},
		"a harmless mode as confirmed": {"--permission-mode", "plan", "--confirm-mode", "hello"},
	} {
		printed, code := run(flags...)
		s.Held(name, code != 0 && strings.Contains(printed, "approve"), "exit %d: %s", code, printed)
	}
	s.Held("the session has its mode", s.Shown(id).GetPermissionMode() != bypass && len(s.Shown(id).GetConfirmedModes()) == 0, "%v", s.Shown(id))
	list, err := s.Daemon.Admin().ListPermissions(s, &pb.ListPermissionsRequest{})
	s.Must(err, "list requests")
	s.Held("nobody is asked on its behalf", len(list.GetPermissions()) == 0, "%v", list)
}

// modeRestored restores a journal whose session has confirmed a mode.
func modeRestored(s *siege.Siege) {
	id := siege.NewSession()
	c := s.ConverseWith("person", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Project, PermissionMode: bypass, ConfirmMode: true})
	s.Turn(c, "run:touch confirmed.txt")
	s.Held("the mode is confirmed with the request", s.Exists(s.Project("confirmed.txt")) && len(s.Shown(id).GetConfirmedModes()) == 1, "%v", s.Shown(id))
	s.Daemon.Kill()
	s.Start()
	s.Held("it stays confirmed when the daemon is killed", len(s.Shown(id).GetConfirmedModes()) == 1, "%v", s.Shown(id))
	backup := filepath.Join(s.World.Root, "backup")
	printed, code := s.Cli("journal", "backup", backup)
	s.Held("the journal is backed up", code == 0, "exit %d: %s", code, printed)
	_, err := s.Daemon.Stop()
	s.Must(err, "stop the daemon")
	printed, code = s.Cli("journal", "restore", backup, "--state-dir", s.World.StateDir(), "--force")
	s.Held("and restored", code == 0, "exit %d: %s", code, printed)
	s.Start()
	s.Held("then it is confirmed no longer", len(s.Shown(id).GetConfirmedModes()) == 0, "%v", s.Shown(id))
	c = s.Converse("person", id)
	s.Say(c, "run:touch restored.txt")
	_, at := s.Wait(c, 0, func(e kit.Event) bool { return e.GetUserInput().GetContent() == "run:touch restored.txt" })
	s.Wait(c, at, isModeRequest)
	e, _ := s.Wait(c, at, func(e kit.Event) bool { return kit.IsTurnComplete(e) || kit.IsPermission(e) && !isModeRequest(e) })
	s.Held("a person is asked, and the agent asks", kit.IsPermission(e) && !s.Exists(s.Project("restored.txt")), "%v", e)
}
