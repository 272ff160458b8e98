package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// modeScenarios attack what docs/security.md says of permission modes in which Claude Code
// decides by itself.
var modeScenarios = []scenario{
	{name: "modes: nobody has confirmed it", real: true, before: makeProject, attack: modeUnconfirmed},
	{name: "modes: edits above protected files", real: true, attack: modeExposed},
	{name: "modes: settings of the agent", real: true, before: makeModeSettings, attack: modeOfSettings},
	{name: "modes: a caller without the right", env: []string{"BETCODE_LISTEN_TCP=127.0.0.1:0"}, attack: modeOfController},
	{name: "modes: a restored journal", env: []string{"IS_SANDBOX=1"}, attack: modeRestored},
}

const bypass = "bypassPermissions"

// isModeRequest reports whether an event asks to confirm a mode.
func isModeRequest(e kit.Event) bool {
	return e.GetPermissionRequest().GetToolName() == "PermissionMode" && !e.GetPermissionRequest().GetIsReplay()
}

// setMode changes the mode of a session that runs.
func (s *siege) setMode(c *kit.Stream, mode string) {
	s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{PermissionMode: mode}}}), "change the mode")
}

// decide answers the newest request to confirm a mode from a place on.
func (s *siege) decide(c *kit.Stream, from int, decision pb.PermissionDecision) int {
	e, next := s.wait(c, from, isModeRequest)
	id := e.GetPermissionRequest().GetRequestId()
	s.must(c.Answer(id, decision, ""), "answer")
	_, next = s.wait(c, next, func(e kit.Event) bool { return e.GetPermissionResolved().GetRequestId() == id })
	return next
}

// shown is what the daemon says of a session.
func (s *siege) shown(id string) *pb.ShowSessionResponse {
	view, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.must(err, "show the session")
	return view
}

func modeUnconfirmed(s *siege) {
	id := session()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, PermissionMode: bypass})
	e, _ := s.wait(c, 0, isModeRequest)
	s.held("the request says what it means", strings.HasPrefix(e.GetPermissionRequest().GetDescription(), bypass+": shell commands run without a request"),
		"%q", e.GetPermissionRequest().GetDescription())
	touched := func(name string) func() bool { return func() bool { return s.exists(s.project(name)) } }
	s.mustAsk(c, "before the answer the agent asks", "bash: touch before.txt", touched("before.txt"))
	said, _ := s.cli("permission", "explain", id, "Bash", "touch x")
	s.held("permission explain says that the agent asks", strings.Contains(said, "agent: asks: ") && strings.Contains(said, "agent: mode default"), "%s", said)
	at := s.decide(c, 0, pb.PermissionDecision_DENY)
	s.mustAsk(c, "after a denial too", "bash: touch denied.txt", touched("denied.txt"))
	s.setMode(c, bypass)
	at = s.decide(c, at, pb.PermissionDecision_DENY_WITH_INTERRUPT)
	s.mustAsk(c, "a change of the mode is asked about as well", "bash: touch changed.txt", touched("changed.txt"))

	s.setMode(c, bypass)
	at = s.decide(c, at, pb.PermissionDecision_ALLOW_ONCE)
	s.wait(c, at, kit.IsRun(pb.RunState_RUN_STATE_EXITED)) // it is replaced by one that is started in the mode
	_, asked := s.asked(c, "bash: touch allowed.txt")
	s.held("a person can confirm it", !asked && s.exists(s.project("allowed.txt")), "asked: %t", asked)
	s.held("the audit log has it", s.audited("PermissionMode"), "no entry")
	said, _ = s.cli("permission", "explain", id, "Bash", "touch x")
	s.held("permission explain says that it asks no longer", strings.Contains(said, "agent: runs it without asking") && strings.Contains(said, "agent: mode "+bypass), "%s", said)
	s.setMode(c, "default")
	s.setMode(c, bypass)
	s.until("the mode is entered again", func() bool { return s.shown(id).GetPermissionMode() == bypass })
	s.held("once in a session", len(s.shown(id).GetPermissions()) == 0 && slices.Equal(s.shown(id).GetConfirmedModes(), []string{bypass}), "%v", s.shown(id))
}

// modeExposed accepts edits in a directory that has protected files in it which the agent
// itself does not protect.
func modeExposed(s *siege) {
	id, key := session(), filepath.Join(s.world.Home, ".ssh", "authorized_keys")
	s.write(filepath.Join(s.world.Home, ".ssh", "config"), "x\n")
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Home, PermissionMode: "acceptEdits"})
	at := s.decide(c, 0, pb.PermissionDecision_DENY)
	s.mustAsk(c, "a shell command at the agent's start", "bash: cp .ssh/config "+key, func() bool { return s.exists(key) })

	// The agent suggests the mode with each request to write; a client takes all it suggests.
	from := len(c.Events())
	s.say(c, "write: "+filepath.Join(s.world.Home, "plain.txt"))
	e, _ := s.wait(c, from, kit.IsPermission)
	request := e.GetPermissionRequest()
	var suggestions []struct{ Type, Mode string }
	s.must(json.Unmarshal(request.GetSuggestions(), &suggestions), "read the suggestions")
	answer := &pb.PermissionResponse{RequestId: request.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE}
	for n, one := range suggestions {
		if one.Type == "setMode" {
			answer.ApplySuggestions = append(answer.ApplySuggestions, uint32(n))
		}
	}
	if len(answer.GetApplySuggestions()) == 0 {
		s.fail("the agent suggests no mode: %s", request.GetSuggestions())
	}
	s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: answer}}), "answer")
	s.wait(c, from, kit.IsTurnComplete)
	s.held("the call runs", s.exists(filepath.Join(s.world.Home, "plain.txt")), "it does not")
	s.mustAsk(c, "a shell command after the suggestion", "bash: cp .ssh/config "+key, func() bool { return s.exists(key) })
	s.decide(c, at, pb.PermissionDecision_ALLOW_ONCE)
	s.until("the mode is entered when it is confirmed", func() bool { return s.shown(id).GetPermissionMode() == "acceptEdits" })
	link := filepath.Join(s.world.Root, "link")
	s.must(os.Symlink(s.world.Home, link), "link")
	c = s.converseWith("b", &pb.StartConversation{SessionId: session(), WorkingDirectory: link, PermissionMode: "acceptEdits"})
	s.wait(c, 0, isModeRequest)
	s.held("a link to such a directory is recognised", true, "")
}

// makeModeSettings has the agent's user and a trusted directory want modes.
func makeModeSettings(s *siege) {
	makeProject(s)
	s.write(filepath.Join(s.world.Home, ".claude", "settings.json"), `{"permissions": {"defaultMode": "bypassPermissions"}, "skipDangerousModePermissionPrompt": true}`)
	s.write(s.project(".claude/settings.json"), `{"permissions": {"defaultMode": "acceptEdits"}}`)
}

func modeOfSettings(s *siege) {
	printed, code := s.cli("trust", "--yes", s.world.Project)
	if code != 0 {
		s.fail("trust: %s", printed)
	}
	id := session()
	c := s.converse("a", id)
	s.mustAsk(c, "bypassPermissions of the user", "bash: touch user.txt", func() bool { return s.exists(s.project("user.txt")) })
	s.mustAsk(c, "acceptEdits of the directory", "write: "+s.project("project.txt"), func() bool { return s.exists(s.project("project.txt")) })
	s.write(s.project(".claude/settings.local.json"), `{"permissions": {"defaultMode": "bypassPermissions"}}`)
	s.mustAsk(c, "settings that appear", "bash: touch local.txt", func() bool { return s.exists(s.project("local.txt")) })
	s.held("the session is in no such mode", s.shown(id).GetPermissionMode() != bypass && s.shown(id).GetPermissionMode() != "acceptEdits", "%s", s.shown(id).GetPermissionMode())
}

// modeOfController has a token that may control sessions and not approve.
func modeOfController(s *siege) {
	over := []string{"--address", s.address(), "--token-file", s.token("control", "view", "control"), "--socket", "/nowhere/s"}
	run := func(more ...string) (string, int) {
		return s.cli(append(append(slices.Clone(over), "run"), more...)...)
	}
	id := session()
	c := s.converse("a", id)
	s.turn(c, "hello")
	s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: pb.LockAction_LOCK_ACTION_RELEASE}}}), "release the lock")
	run("--session", id, "--permission-mode", bypass, "hello") // what it sets is refused, and the message is not
	run("--session", id, "--permission-mode", bypass, "--confirm-mode", "hello")
	for name, flags := range map[string][]string{
		"a new session":                {"--permission-mode", bypass, "hello"},
		"a new session, confirmed":     {"--permission-mode", bypass, "--confirm-mode", "hello"},
		"accepted edits":               {"--permission-mode", "acceptEdits", "hello"},
		"a harmless mode as confirmed": {"--permission-mode", "plan", "--confirm-mode", "hello"},
	} {
		printed, code := run(flags...)
		s.held(name, code != 0 && strings.Contains(printed, "approve"), "exit %d: %s", code, printed)
	}
	s.held("the session has its mode", s.shown(id).GetPermissionMode() != bypass && len(s.shown(id).GetConfirmedModes()) == 0, "%v", s.shown(id))
	list, err := s.daemon.Admin().ListPermissions(s, &pb.ListPermissionsRequest{})
	s.must(err, "list requests")
	s.held("nobody is asked on its behalf", len(list.GetPermissions()) == 0, "%v", list)
}

// modeRestored restores a journal whose session has confirmed a mode.
func modeRestored(s *siege) {
	id := session()
	c := s.converseWith("person", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, PermissionMode: bypass, ConfirmMode: true})
	s.turn(c, "run:touch confirmed.txt")
	s.held("the mode is confirmed with the request", s.exists(s.project("confirmed.txt")) && len(s.shown(id).GetConfirmedModes()) == 1, "%v", s.shown(id))
	s.daemon.Kill()
	s.start()
	s.held("it stays confirmed when the daemon is killed", len(s.shown(id).GetConfirmedModes()) == 1, "%v", s.shown(id))
	backup := filepath.Join(s.world.Root, "backup")
	printed, code := s.cli("journal", "backup", backup)
	s.held("the journal is backed up", code == 0, "exit %d: %s", code, printed)
	_, err := s.daemon.Stop()
	s.must(err, "stop the daemon")
	printed, code = s.cli("journal", "restore", backup, "--state-dir", s.world.StateDir(), "--force")
	s.held("and restored", code == 0, "exit %d: %s", code, printed)
	s.start()
	s.held("then it is confirmed no longer", len(s.shown(id).GetConfirmedModes()) == 0, "%v", s.shown(id))
	c = s.converse("person", id)
	s.say(c, "run:touch restored.txt")
	_, at := s.wait(c, 0, func(e kit.Event) bool { return e.GetUserInput().GetContent() == "run:touch restored.txt" })
	s.wait(c, at, isModeRequest)
	e, _ := s.wait(c, at, func(e kit.Event) bool { return kit.IsTurnComplete(e) || kit.IsPermission(e) && !isModeRequest(e) })
	s.held("a person is asked, and the agent asks", kit.IsPermission(e) && !s.exists(s.project("restored.txt")), "%v", e)
}
