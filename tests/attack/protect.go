package main

import (
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// protectScenarios attack what docs/security.md says of protected files and of ask rules.
var protectScenarios = []scenario{
	{
		name: "protected files under allow rules", real: true,
		settings: `{"permissions": {"allow": ["Edit(./**)", "Bash(echo *)", "Bash(cp *)", "Write", "Bash"]}}`, before: makeProject, attack: writeProtected,
	},
	{name: "protected files under a grant", real: true, before: makeProject, attack: writeGranted},
	{name: "protected files in acceptEdits", real: true, before: makeProject, attack: writeAccepted},
	{
		name: "ask rules", real: true, attack: readAsked,
		settings: `{"permissions": {"ask": ["Read(secret.txt)", "Bash(cat *)"]}}`, before: makeProject,
	},
	{name: "ask rules of the agent's user", real: true, settings: `{"permissions": {"allow": ["Bash", "Read"]}}`, before: makeUserRules, attack: askUser},
	{
		name: "an edited call", real: true, settings: `{"permissions": {"deny": ["Bash(rm *)"]}}`, before: makeProject, attack: editCalls,
	},
	{name: "a rule added while an agent runs", real: true, before: makeProject, attack: addRule},
}

// makeProject makes a repository with a secret, and links to what is protected.
func makeProject(s *siege) {
	s.write(s.project(".git/HEAD"), "ref: refs/heads/main\n")
	s.write(s.project(".git/config"), "[core]\n\trepositoryformatversion = 0\n")
	s.must(os.MkdirAll(s.project(".git/hooks"), 0o700), "make a directory")
	s.must(os.MkdirAll(s.project(".git/objects"), 0o700), "make a directory")
	s.must(os.MkdirAll(s.project(".git/refs"), 0o700), "make a directory")
	s.write(s.project("secret.txt"), "secret\n")
	s.write(s.project("plain.txt"), "plain\n")
	s.write(filepath.Join(s.world.Home, "target"), "x\n")
	s.must(os.Symlink(".git/hooks", s.project("hooks")), "link")
	s.must(os.Symlink(s.world.ConfigDir(), s.project("conf")), "link")
	s.must(os.Link(filepath.Join(s.world.Home, "target"), s.project("hard")), "link")
}

// protectedTargets are attempts to write what is protected, and where it would show.
func protectedTargets(s *siege) map[string]struct{ message, shows string } {
	config := filepath.Join(s.world.ConfigDir(), "settings.local.json")
	return map[string]struct{ message, shows string }{
		"the agent's settings":       {"write: " + s.project(".claude/settings.local.json"), s.project(".claude/settings.local.json")},
		"a hook of git":              {"write: " + s.project(".git/hooks/pre-commit"), s.project(".git/hooks/pre-commit")},
		"servers":                    {"write: " + s.project(".mcp.json"), s.project(".mcp.json")},
		"servers, in capitals":       {"write: " + s.project(".MCP.json"), s.project(".MCP.json")},
		"a hook behind a link":       {"write: " + s.project("hooks/post-commit"), s.project(".git/hooks/post-commit")},
		"a hook behind dots":         {"write: " + s.project("x/../.git/hooks/post-merge"), s.project(".git/hooks/post-merge")},
		"our settings":               {"write: " + config, config},
		"our settings behind a link": {"write: " + s.project("conf/settings.other.json"), filepath.Join(s.world.ConfigDir(), "settings.other.json")},
		"a shell's start file":       {"write: " + filepath.Join(s.world.Home, ".bashrc"), filepath.Join(s.world.Home, ".bashrc")},
	}
}

// protectedCommands are the same by shell commands.
func protectedCommands(s *siege) map[string]struct{ message, shows string } {
	config := filepath.Join(s.world.ConfigDir(), "by-shell.json")
	return map[string]struct{ message, shows string }{
		"a redirection":             {"bash: echo x > .mcp.json", s.project(".mcp.json")},
		"a copy":                    {"bash: cp plain.txt .git/hooks/pre-push", s.project(".git/hooks/pre-push")},
		"a directory and a copy":    {"bash: mkdir -p .claude && cp plain.txt .claude/settings.json", s.project(".claude")},
		"cd and a redirection":      {"bash: cd .git/hooks && echo x > commit-msg", s.project(".git/hooks/commit-msg")},
		"our settings":              {"bash: echo x > " + config, config},
		"the text of another shell": {`bash: bash -c 'echo x > .git/hooks/update'`, s.project(".git/hooks/update")},
		"a variable":                {`bash: f=.git/hooks/rebase; echo x > "$f"`, s.project(".git/hooks/rebase")},
		"a bundle of options":       {"bash: cp -rt.git/hooks plain.txt", s.project(".git/hooks/plain.txt")},
		"a bundle of another one":   {"bash: sort -uo.git/hooks/sorted plain.txt", s.project(".git/hooks/sorted")},
		"a script of sed":           {"bash: sed -n w.git/hooks/by-sed plain.txt", s.project(".git/hooks/by-sed")},
		"a link":                    {"bash: echo x > hooks/by-link", s.project(".git/hooks/by-link")},
	}
}

func writeProtected(s *siege) {
	c := s.converse("a", session())
	for name, target := range protectedTargets(s) {
		s.mustAsk(c, "Write: "+name, target.message, func() bool { return s.exists(target.shows) })
	}
	for name, target := range protectedCommands(s) {
		s.mustAsk(c, "Bash: "+name, target.message, func() bool { return s.exists(target.shows) })
	}
	s.mustAsk(c, "Bash: core.hooksPath", "bash: git config core.hooksPath /tmp", func() bool { return s.contains(s.project(".git/config"), "hooksPath") })
	s.mustAsk(c, "a hard link", "bash: echo attack > hard", func() bool { return s.contains(filepath.Join(s.world.Home, "target"), "attack") })
	// Neither does the list stand in the way of what is allowed, nor is it silent about why.
	if _, asked := s.asked(c, "write: "+s.project("fine.txt")); asked || !s.exists(s.project("fine.txt")) {
		s.held("an allowed file is written unasked", false, "asked: %t", asked)
	} else {
		s.held("an allowed file is written unasked", true, "")
	}
	said, _ := s.cli("permission", "explain", "Write", s.project(".mcp.json"))
	s.held("permission explain knows the list", strings.HasPrefix(said, "ask: "), "%s", said)
	request, asked := s.asked(c, "write: "+s.project(".mcp.json"))
	s.held("the reason is told", asked && request.GetReason() != "", "asked: %t, reason %q", asked, request.GetReason())
	if asked {
		s.refuse(c, request.GetRequestId())
	}
}

func writeGranted(s *siege) {
	c := s.converse("a", session())
	for _, first := range []string{"write: " + s.project("one.txt"), "bash: touch two.txt"} {
		request, asked := s.asked(c, first)
		if !asked {
			s.fail("nobody was asked about %s", first)
		}
		from := len(c.Events())
		s.must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_SESSION, ""), "grant")
		s.wait(c, from, kit.IsTurnComplete)
	}
	s.mustAsk(c, "Write", "write: "+s.project(".mcp.json"), func() bool { return s.exists(s.project(".mcp.json")) })
	s.mustAsk(c, "Bash", "bash: cp plain.txt .git/hooks/pre-commit", func() bool { return s.exists(s.project(".git/hooks/pre-commit")) })
}

func writeAccepted(s *siege) {
	c := s.converseWith("a", &pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Project, PermissionMode: "acceptEdits"})
	for name, target := range protectedTargets(s) {
		s.mustAsk(c, name, target.message, func() bool { return s.exists(target.shows) })
	}
	s.mustAsk(c, "a redirection", "bash: echo x > .mcp.json", func() bool { return s.exists(s.project(".mcp.json")) })
}

func readAsked(s *siege) {
	c := s.converse("a", session())
	for name, message := range map[string]string{
		"Read": "read: " + s.project("secret.txt"), "Bash": "bash: cat plain.txt", "Bash after another": "bash: echo x && cat plain.txt",
	} {
		request, asked := s.asked(c, message)
		s.held(name+" is asked about", asked, "nobody was asked")
		if asked {
			s.refuse(c, request.GetRequestId())
		}
	}
}

// makeUserRules gives the agent's user an ask rule that the daemon does not know.
func makeUserRules(s *siege) {
	makeProject(s)
	s.write(filepath.Join(s.world.Home, ".claude", "settings.json"), `{"permissions": {"ask": ["Bash(cat *)", "Read(secret.txt)"]}}`)
}

func askUser(s *siege) {
	c := s.converse("a", session())
	for name, message := range map[string]string{"Bash": "bash: cat plain.txt", "Read": "read: " + s.project("secret.txt")} {
		request, asked := s.asked(c, message)
		s.held(name+" is asked about in spite of our allow rule", asked && strings.Contains(request.GetReason(), "userSettings"), "asked: %t, reason %q", asked, request.GetReason())
		if asked {
			s.refuse(c, request.GetRequestId())
		}
	}
}

func addRule(s *siege) {
	c := s.converse("a", session())
	_, asked := s.asked(c, "read: "+s.project("secret.txt"))
	s.held("without a rule the agent reads by itself", !asked, "somebody was asked")
	s.write(filepath.Join(s.world.ConfigDir(), "settings.json"), `{"permissions": {"ask": ["Read(secret.txt)"], "allow": ["Bash(make *)"]}}`)
	from := 0
	s.wait(c, from, func(e kit.Event) bool { return e.GetNotice().GetCode() == "RULES_WIDENED" })
	// The agent has the rule when it has answered, which its next turn follows.
	request, asked := s.asked(c, "read: "+s.project("secret.txt"))
	s.held("the agent that runs has the rule", asked, "nobody was asked")
	if asked {
		s.refuse(c, request.GetRequestId())
	}
	said, _ := s.cli("audit", "--json")
	s.held("the change is in the audit log", strings.Contains(said, "rules_change") && strings.Contains(said, "ask Read(secret.txt)"), "%s", said)
}

// editCalls answers a harmless request with an edited input that no person approved.
func editCalls(s *siege) {
	c := s.converse("a", session())
	request, asked := s.asked(c, "bash: touch harmless.txt")
	if !asked {
		s.fail("nobody was asked")
	}
	for name, command := range map[string]string{
		"a denied command": "rm -f plain.txt", "a protected file": "echo x > .mcp.json", "a protected file behind a link": "echo x > hooks/edited",
	} {
		from := len(c.Events())
		input, err := structpb.NewStruct(map[string]any{"command": command, "description": "edited"})
		s.must(err, "make an input")
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: request.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, UpdatedInput: input,
		}}}), "answer with an edit")
		e, _ := s.wait(c, from, func(e kit.Event) bool { return e.GetError() != nil || kit.IsTurnComplete(e) })
		s.held(name+" is refused", e.GetError().GetCode() == "EDIT_REFUSED", "%v", e)
	}
	s.held("nothing was done", s.exists(s.project("plain.txt")) && !s.exists(s.project(".mcp.json")) && !s.exists(s.project(".git/hooks/edited")), "a file shows it")
	s.refuse(c, request.GetRequestId()) // it still waits
}
