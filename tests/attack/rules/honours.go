package rules

import (
	"os"
	"path/filepath"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// honourScenarios measure the table of modes in docs/security.md with the pinned Claude Code.
var honourScenarios = []siege.Scenario{
	{
		Name: "modes: what the agent honours", Real: true, Before: makeHonoured, Attack: measureModes,
		Settings: `{"permissions": {"ask": ["Read(secret.txt)", "Bash(cat *)"]}}`,
	},
}

// What becomes of a call.
const (
	asks    = "asks"
	runs    = "runs"
	refuses = "refuses"
)

// honoured is the table: for each mode, what becomes of a call.
var honoured = map[string]map[string]string{
	"default":           {"file": asks, "plain file": asks, "ssh": asks, "hard link": asks, "shell": asks, "shell ssh": asks, "redirection": asks, "ask Read": asks, "ask Bash": asks},
	"acceptEdits":       {"file": asks, "plain file": runs, "ssh": asks, "hard link": runs, "shell": asks, "shell ssh": runs, "redirection": asks, "ask Read": asks, "ask Bash": asks},
	"plan":              {"file": refuses, "plain file": asks, "ssh": asks, "hard link": asks, "shell": refuses, "shell ssh": refuses, "redirection": refuses, "ask Read": asks, "ask Bash": asks},
	"bypassPermissions": {"file": asks, "plain file": runs, "ssh": asks, "hard link": runs, "shell": runs, "shell ssh": runs, "redirection": runs, "ask Read": asks, "ask Bash": asks},
	"dontAsk":           {"file": refuses, "plain file": refuses, "ssh": refuses, "hard link": refuses, "shell": refuses, "shell ssh": refuses, "redirection": refuses, "ask Read": refuses, "ask Bash": refuses},
}

// makeHonoured creates a project with protected files for each mode.
func makeHonoured(s *siege.Siege) {
	makeProject(s)
	for mode := range honoured {
		s.Must(os.MkdirAll(s.Project(filepath.Join(".ssh", mode)), 0o700), "make a directory")
		s.Must(os.MkdirAll(s.Project(filepath.Join(".git", "hooks", mode)), 0o700), "make a directory")
		target := filepath.Join(s.World.Home, "target-"+mode)
		s.Write(target, "old\n")
		s.Must(os.Link(target, s.Project("hard-"+mode)), "link")
	}
}

func measureModes(s *siege.Siege) {
	for mode, table := range honoured {
		c := s.ConverseWith("a", &pb.StartConversation{SessionId: siege.NewSession(), WorkingDirectory: s.World.Project, PermissionMode: mode, ConfirmMode: true})
		for name, call := range map[string]struct {
			message string
			done    func() bool
		}{
			"file":        {"write: " + s.Project(".claude/"+mode+".json"), func() bool { return s.Exists(s.Project(".claude/" + mode + ".json")) }},
			"plain file":  {"write: " + s.Project("plain-"+mode), func() bool { return s.Exists(s.Project("plain-" + mode)) }},
			"ssh":         {"write: " + s.Project(".ssh/"+mode+"/config"), func() bool { return s.Exists(s.Project(".ssh/" + mode + "/config")) }},
			"hard link":   {"edit: " + s.Project("hard-"+mode) + " old new", func() bool { return s.Contains(s.Project("hard-"+mode), "new") }},
			"shell":       {"bash: cp plain.txt .git/hooks/" + mode + "/x", func() bool { return s.Exists(s.Project(".git/hooks/" + mode + "/x")) }},
			"shell ssh":   {"bash: cp plain.txt .ssh/" + mode + "/x", func() bool { return s.Exists(s.Project(".ssh/" + mode + "/x")) }},
			"redirection": {"bash: echo x > .git/hooks/" + mode + "/y", func() bool { return s.Exists(s.Project(".git/hooks/" + mode + "/y")) }},
			"ask Read":    {"read: " + s.Project("secret.txt"), nil},
			"ask Bash":    {"bash: cat plain.txt", nil},
		} {
			from := len(c.Events())
			request, asked := s.Asked(c, call.message)
			got := refuses
			switch {
			case asked:
				got = asks
				s.Refuse(c, request.GetRequestId())
			case call.done != nil && call.done():
				got = runs
			case call.done == nil && succeeded(s, c.Events()[from:]):
				got = runs
			}
			s.Held(mode+": "+name, got == table[name], "it %s, and the table says that it %s", got, table[name])
		}
	}
}

// succeeded reports whether a call among events has ended well.
func succeeded(s *siege.Siege, events []kit.Event) bool {
	for _, e := range events {
		if done := e.GetToolCallResult(); done != nil && !done.GetIsError() {
			return true
		}
	}
	return false
}
