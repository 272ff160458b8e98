package rules

import (
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// protectScenarios attack the claims of docs/security.md about protected files and of ask rules.
var protectScenarios = []siege.Scenario{
	{
		Name: "protected files under allow rules", Real: true,
		Settings: `{"permissions": {"allow": ["Edit(./**)", "Bash(echo *)", "Bash(cp *)", "Write", "Bash"]}}`, Before: makeProject, Attack: writeProtected,
	},
	{Name: "protected files under a grant", Real: true, Before: makeProject, Attack: writeGranted},
	{Name: "protected files in acceptEdits", Real: true, Before: makeProject, Attack: writeAccepted},
	{
		Name: "ask rules", Real: true, Attack: readAsked,
		Settings: `{"permissions": {"ask": ["Read(secret.txt)", "Bash(cat *)"]}}`, Before: makeProject,
	},
	{Name: "ask rules of the agent's user", Real: true, Settings: `{"permissions": {"allow": ["Bash", "Read"]}}`, Before: makeUserRules, Attack: askUser},
	{
		Name: "an edited call", Real: true, Settings: `{"permissions": {"deny": ["Bash(rm *)"]}}`, Before: makeProject, Attack: editCalls,
	},
	{Name: "a rule added while an agent runs", Real: true, Before: makeProject, Attack: addRule},
}

// makeProject creates a repository with a secret, and links to protected files.
func makeProject(s *siege.Siege) {
	s.Write(s.Project(".git/HEAD"), "ref: refs/heads/main\n")
	s.Write(s.Project(".git/config"), "[core]\n\trepositoryformatversion = 0\n")
	s.Must(os.MkdirAll(s.Project(".git/hooks"), 0o700), "make a directory")
	s.Must(os.MkdirAll(s.Project(".git/objects"), 0o700), "make a directory")
	s.Must(os.MkdirAll(s.Project(".git/refs"), 0o700), "make a directory")
	s.Write(s.Project("secret.txt"), "secret\n")
	s.Write(s.Project("plain.txt"), "plain\n")
	s.Write(filepath.Join(s.World.Home, "target"), "x\n")
	s.Must(os.Symlink(".git/hooks", s.Project("hooks")), "link")
	s.Must(os.Symlink(s.World.ConfigDir(), s.Project("conf")), "link")
	s.Must(os.Link(filepath.Join(s.World.Home, "target"), s.Project("hard")), "link")
}

// protectedTargets are attempts to write protected files, and the file that shows success.
func protectedTargets(s *siege.Siege) map[string]struct{ message, shows string } {
	config := filepath.Join(s.World.ConfigDir(), "settings.local.json")
	return map[string]struct{ message, shows string }{
		"the agent's settings":       {"write: " + s.Project(".claude/settings.local.json"), s.Project(".claude/settings.local.json")},
		"a hook of git":              {"write: " + s.Project(".git/hooks/pre-commit"), s.Project(".git/hooks/pre-commit")},
		"servers":                    {"write: " + s.Project(".mcp.json"), s.Project(".mcp.json")},
		"servers, in capitals":       {"write: " + s.Project(".MCP.json"), s.Project(".MCP.json")},
		"a hook behind a link":       {"write: " + s.Project("hooks/post-commit"), s.Project(".git/hooks/post-commit")},
		"a hook behind dots":         {"write: " + s.Project("x/../.git/hooks/post-merge"), s.Project(".git/hooks/post-merge")},
		"our settings":               {"write: " + config, config},
		"our settings behind a link": {"write: " + s.Project("conf/settings.other.json"), filepath.Join(s.World.ConfigDir(), "settings.other.json")},
		"a shell's start file":       {"write: " + filepath.Join(s.World.Home, ".bashrc"), filepath.Join(s.World.Home, ".bashrc")},
	}
}

// protectedCommands are the same by shell commands.
func protectedCommands(s *siege.Siege) map[string]struct{ message, shows string } {
	config := filepath.Join(s.World.ConfigDir(), "by-shell.json")
	return map[string]struct{ message, shows string }{
		"a redirection":             {"bash: echo x > .mcp.json", s.Project(".mcp.json")},
		"a copy":                    {"bash: cp plain.txt .git/hooks/pre-push", s.Project(".git/hooks/pre-push")},
		"a directory and a copy":    {"bash: mkdir -p .claude && cp plain.txt .claude/settings.json", s.Project(".claude")},
		"cd and a redirection":      {"bash: cd .git/hooks && echo x > commit-msg", s.Project(".git/hooks/commit-msg")},
		"our settings":              {"bash: echo x > " + config, config},
		"the text of another shell": {`bash: bash -c 'echo x > .git/hooks/update'`, s.Project(".git/hooks/update")},
		"a variable":                {`bash: f=.git/hooks/rebase; echo x > "$f"`, s.Project(".git/hooks/rebase")},
		"a bundle of options":       {"bash: cp -rt.git/hooks plain.txt", s.Project(".git/hooks/plain.txt")},
		"a bundle of another one":   {"bash: sort -uo.git/hooks/sorted plain.txt", s.Project(".git/hooks/sorted")},
		"a script of sed":           {"bash: sed -n w.git/hooks/by-sed plain.txt", s.Project(".git/hooks/by-sed")},
		"a link":                    {"bash: echo x > hooks/by-link", s.Project(".git/hooks/by-link")},
	}
}

func writeProtected(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	for name, target := range protectedTargets(s) {
		s.MustAsk(c, "Write: "+name, target.message, func() bool { return s.Exists(target.shows) })
	}
	for name, target := range protectedCommands(s) {
		s.MustAsk(c, "Bash: "+name, target.message, func() bool { return s.Exists(target.shows) })
	}
	s.MustAsk(c, "Bash: core.hooksPath", "bash: git config core.hooksPath /tmp", func() bool { return s.Contains(s.Project(".git/config"), "hooksPath") })
	s.MustAsk(c, "a hard link", "bash: echo attack > hard", func() bool { return s.Contains(filepath.Join(s.World.Home, "target"), "attack") })
	// The list does not block allowed writes, and a request has its reason.
	if _, asked := s.Asked(c, "write: "+s.Project("fine.txt")); asked || !s.Exists(s.Project("fine.txt")) {
		s.Held("an allowed file is written unasked", false, "asked: %t", asked)
	} else {
		s.Held("an allowed file is written unasked", true, "")
	}
	said, _ := s.Cli("permission", "explain", "Write", s.Project(".mcp.json"))
	s.Held("permission explain knows the list", strings.HasPrefix(said, "ask: "), "%s", said)
	request, asked := s.Asked(c, "write: "+s.Project(".mcp.json"))
	s.Held("the reason is told", asked && request.GetReason() != "", "asked: %t, reason %q", asked, request.GetReason())
	if asked {
		s.Refuse(c, request.GetRequestId())
	}
}

func writeGranted(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	for _, first := range []string{"write: " + s.Project("one.txt"), "bash: touch two.txt"} {
		request, asked := s.Asked(c, first)
		if !asked {
			s.Fail("nobody was asked about %s", first)
		}
		from := len(c.Events())
		s.Must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_SESSION, ""), "grant")
		s.Wait(c, from, kit.IsTurnComplete)
	}
	s.MustAsk(c, "Write", "write: "+s.Project(".mcp.json"), func() bool { return s.Exists(s.Project(".mcp.json")) })
	s.MustAsk(c, "Bash", "bash: cp plain.txt .git/hooks/pre-commit", func() bool { return s.Exists(s.Project(".git/hooks/pre-commit")) })
}

func writeAccepted(s *siege.Siege) {
	c := s.ConverseWith("a", &pb.StartConversation{SessionId: siege.NewSession(), WorkingDirectory: s.World.Project, PermissionMode: "acceptEdits"})
	for name, target := range protectedTargets(s) {
		s.MustAsk(c, name, target.message, func() bool { return s.Exists(target.shows) })
	}
	s.MustAsk(c, "a redirection", "bash: echo x > .mcp.json", func() bool { return s.Exists(s.Project(".mcp.json")) })
}

func readAsked(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	for name, message := range map[string]string{
		"Read": "read: " + s.Project("secret.txt"), "Bash": "bash: cat plain.txt", "Bash after another": "bash: echo x && cat plain.txt",
	} {
		request, asked := s.Asked(c, message)
		s.Held(name+" is asked about", asked, "nobody was asked")
		if asked {
			s.Refuse(c, request.GetRequestId())
		}
	}
}

// makeUserRules gives the agent's user an ask rule that the daemon does not know.
func makeUserRules(s *siege.Siege) {
	makeProject(s)
	s.Write(filepath.Join(s.World.Home, ".claude", "settings.json"), `{"permissions": {"ask": ["Bash(cat *)", "Read(secret.txt)"]}}`)
}

func askUser(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	for name, message := range map[string]string{"Bash": "bash: cat plain.txt", "Read": "read: " + s.Project("secret.txt")} {
		request, asked := s.Asked(c, message)
		s.Held(name+" is asked about in spite of our allow rule", asked && strings.Contains(request.GetReason(), "userSettings"), "asked: %t, reason %q", asked, request.GetReason())
		if asked {
			s.Refuse(c, request.GetRequestId())
		}
	}
}

func addRule(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	_, asked := s.Asked(c, "read: "+s.Project("secret.txt"))
	s.Held("without a rule the agent reads by itself", !asked, "somebody was asked")
	s.Write(filepath.Join(s.World.ConfigDir(), "settings.json"), `{"permissions": {"ask": ["Read(secret.txt)"], "allow": ["Bash(make *)"]}}`)
	from := 0
	s.Wait(c, from, func(e kit.Event) bool { return e.GetNotice().GetCode() == "RULES_WIDENED" })
	// The agent has the rule when it has answered, which its next turn follows.
	request, asked := s.Asked(c, "read: "+s.Project("secret.txt"))
	s.Held("the agent that runs has the rule", asked, "nobody was asked")
	if asked {
		s.Refuse(c, request.GetRequestId())
	}
	said, _ := s.Cli("audit", "--json")
	s.Held("the change is in the audit log", strings.Contains(said, "rules_change") && strings.Contains(said, "ask Read(secret.txt)"), "%s", said)
}

// editCalls answers a harmless request with an edited input that no person approved.
func editCalls(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	request, asked := s.Asked(c, "bash: touch harmless.txt")
	if !asked {
		s.Fail("nobody was asked")
	}
	for name, command := range map[string]string{
		"a denied command": "rm -f plain.txt", "a protected file": "echo x > .mcp.json", "a protected file behind a link": "echo x > hooks/edited",
	} {
		from := len(c.Events())
		input, err := structpb.NewStruct(map[string]any{"command": command, "description": "edited"})
		s.Must(err, "make an input")
		s.Must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: request.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, UpdatedInput: input,
		}}}), "answer with an edit")
		e, _ := s.Wait(c, from, func(e kit.Event) bool { return e.GetError() != nil || kit.IsTurnComplete(e) })
		s.Held(name+" is refused", e.GetError().GetCode() == "EDIT_REFUSED", "%v", e)
	}
	s.Held("nothing was done", s.Exists(s.Project("plain.txt")) && !s.Exists(s.Project(".mcp.json")) && !s.Exists(s.Project(".git/hooks/edited")), "a file shows it")
	s.Refuse(c, request.GetRequestId()) // it still waits
}
