package main

import (
	"os"
	"path/filepath"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// honourScenarios measure the table of modes in docs/security.md with the pinned Claude Code.
var honourScenarios = []scenario{
	{
		name: "modes: what the agent honours", real: true, before: makeHonoured, attack: measureModes,
		settings: `{"permissions": {"ask": ["Read(secret.txt)", "Bash(cat *)"]}}`,
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

// makeHonoured makes a project with what is protected, for each mode.
func makeHonoured(s *siege) {
	makeProject(s)
	for mode := range honoured {
		s.must(os.MkdirAll(s.project(filepath.Join(".ssh", mode)), 0o700), "make a directory")
		s.must(os.MkdirAll(s.project(filepath.Join(".git", "hooks", mode)), 0o700), "make a directory")
		target := filepath.Join(s.world.Home, "target-"+mode)
		s.write(target, "old\n")
		s.must(os.Link(target, s.project("hard-"+mode)), "link")
	}
}

func measureModes(s *siege) {
	for mode, table := range honoured {
		c := s.converseWith("a", &pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Project, PermissionMode: mode, ConfirmMode: true})
		for name, call := range map[string]struct {
			message string
			done    func() bool
		}{
			"file":        {"write: " + s.project(".claude/"+mode+".json"), func() bool { return s.exists(s.project(".claude/" + mode + ".json")) }},
			"plain file":  {"write: " + s.project("plain-"+mode), func() bool { return s.exists(s.project("plain-" + mode)) }},
			"ssh":         {"write: " + s.project(".ssh/"+mode+"/config"), func() bool { return s.exists(s.project(".ssh/" + mode + "/config")) }},
			"hard link":   {"edit: " + s.project("hard-"+mode) + " old new", func() bool { return s.contains(s.project("hard-"+mode), "new") }},
			"shell":       {"bash: cp plain.txt .git/hooks/" + mode + "/x", func() bool { return s.exists(s.project(".git/hooks/" + mode + "/x")) }},
			"shell ssh":   {"bash: cp plain.txt .ssh/" + mode + "/x", func() bool { return s.exists(s.project(".ssh/" + mode + "/x")) }},
			"redirection": {"bash: echo x > .git/hooks/" + mode + "/y", func() bool { return s.exists(s.project(".git/hooks/" + mode + "/y")) }},
			"ask Read":    {"read: " + s.project("secret.txt"), nil},
			"ask Bash":    {"bash: cat plain.txt", nil},
		} {
			from := len(c.Events())
			request, asked := s.asked(c, call.message)
			got := refuses
			switch {
			case asked:
				got = asks
				s.refuse(c, request.GetRequestId())
			case call.done != nil && call.done():
				got = runs
			case call.done == nil && s.succeeded(c.Events()[from:]):
				got = runs
			}
			s.held(mode+": "+name, got == table[name], "it %s, and the table says that it %s", got, table[name])
		}
	}
}

// succeeded reports whether a call among events has ended well.
func (s *siege) succeeded(events []kit.Event) bool {
	for _, e := range events {
		if done := e.GetToolCallResult(); done != nil && !done.GetIsError() {
			return true
		}
	}
	return false
}
