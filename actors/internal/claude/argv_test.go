package claude

import (
	"slices"
	"strings"
	"testing"

	"betcode/messages"
)

const (
	anyID     = "44a6f869-7d47-46d4-a0e2-6a0447eed53a"
	otherID   = "0d6ad1e2-3c4b-4f7e-9a55-0b8f3a1c2d3e"
	messageID = "5b1f9c88-7f0e-4a52-8a3f-6d2b7c9e0f11"
)

func TestArgv(t *testing.T) {
	const always = "claude -p --output-format stream-json --input-format stream-json --permission-prompt-tool stdio --include-partial-messages --verbose "
	for _, c := range []struct {
		name string
		spec Spec
		want string
	}{
		{"new", Spec{}, "--session-id " + anyID + " --permission-mode default"},
		{"resumed", Spec{Resume: true, Model: "opus", PermissionMode: "acceptEdits"}, "--resume " + anyID + " --model opus --permission-mode acceptEdits"},
		{"plan", Spec{PlanMode: true}, "--session-id " + anyID + " --permission-mode plan"},
		{"a mode beats plan", Spec{PlanMode: true, PermissionMode: "default"}, "--session-id " + anyID + " --permission-mode default"},
		{
			"tools",
			Spec{AllowedTools: []string{"Bash(git *)", "", "Read"}, DeniedTools: []string{"WebFetch"}, SubagentText: true, FallbackModel: "haiku"},
			"--session-id " + anyID + " --fallback-model haiku --permission-mode default --forward-subagent-text --allowedTools Bash(git *) Read --disallowedTools WebFetch",
		},
		{
			"options",
			Spec{Options: messages.AgentOptions{
				Effort: "low", Thinking: "enabled", MaxThinkingTokens: 2000, MaxTurns: 3, MaxBudgetUSD: 0.000001, Agent: "rev", Tools: []string{"Read", "Bash"},
				AppendSystemPrompt: "brief", Directories: []string{"/a", "/b"}, Agents: []byte(`{"rev":{"description":"d","prompt":"p"}}`),
				Servers: messages.Secret(`{"mcpServers":{"a":{}}}`), OnlyServers: true,
			}, AllowedTools: []string{"Bash(git *)"}},
			"--session-id " + anyID + ` --permission-mode default --effort low --thinking enabled --max-thinking-tokens 2000 --max-turns 3 --max-budget-usd 0.000001` +
				` --agents {"rev":{"description":"d","prompt":"p"}} --agent rev --append-system-prompt brief --tools Read,Bash --add-dir /a /b --allowedTools Bash(git *)`,
		},
		{"no tools", Spec{Options: messages.AgentOptions{NoTools: true}}, "--session-id " + anyID + " --permission-mode default --tools "},
		{
			"fork",
			Spec{Fork: messages.Fork{Session: "s", Seq: 4, AgentSession: otherID, Message: messageID}},
			"--resume " + otherID + " --fork-session --session-id " + anyID + " --resume-session-at " + messageID + " --permission-mode default",
		},
		{"fork that exists", Spec{Resume: true, Fork: messages.Fork{AgentSession: otherID, Message: messageID}}, "--resume " + anyID + " --permission-mode default"},
	} {
		c.spec.Program, c.spec.SessionID = "claude", anyID
		got, err := Argv(c.spec)
		if err != nil || strings.Join(got, " ") != always+c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, strings.Join(got, " "), always+c.want)
		}
		if i := slices.Index(got, "--allowedTools"); i >= 0 && got[i+1] != "Bash(git *)" {
			t.Errorf("%s: a tool was split: %q", c.name, got)
		}
	}
}

func TestRefusedArguments(t *testing.T) {
	for name, spoil := range map[string]func(*Spec){
		"no program":         func(s *Spec) { s.Program = "" },
		"program":            func(s *Spec) { s.Program = "-c" },
		"no session":         func(s *Spec) { s.SessionID = "" },
		"session":            func(s *Spec) { s.SessionID = "my session" },
		"session as URN":     func(s *Spec) { s.SessionID = "urn:uuid:" + anyID },
		"session as option":  func(s *Spec) { s.SessionID = "--continue" },
		"model":              func(s *Spec) { s.Model = "--dangerously-skip-permissions" },
		"model after spaces": func(s *Spec) { s.Model = " --continue" },
		"fallback":           func(s *Spec) { s.FallbackModel = "-p" },
		"mode":               func(s *Spec) { s.PermissionMode = "-" },
		"NUL":                func(s *Spec) { s.Model = "opus\x00" },
		"newline":            func(s *Spec) { s.AllowedTools = []string{"Read\nBash"} },
		"allowed tool":       func(s *Spec) { s.AllowedTools = []string{"Read", "--model"} },
		"denied tool":        func(s *Spec) { s.DeniedTools = []string{"-x"} },
		"prompt":             func(s *Spec) { s.Options.AppendSystemPrompt = "\u00a0--model" },
		"directory":          func(s *Spec) { s.Options.Directories = []string{"--model"} },
		"agent":              func(s *Spec) { s.Options.Agent = "--model" },
		"fork":               func(s *Spec) { s.Fork = messages.Fork{AgentSession: "--model", Message: messageID} },
		"fork at":            func(s *Spec) { s.Fork = messages.Fork{AgentSession: otherID, Message: "-p"} },
	} {
		s := Spec{Program: "claude", SessionID: anyID}
		spoil(&s)
		if got, err := Argv(s); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %q, %v; want it refused", name, got, err)
		}
	}
}

func TestEnviron(t *testing.T) {
	plain, err := Environ(Env{ResumePrompt: "not used"})
	if err != nil || strings.Join(plain, " ") != "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1 CLAUDE_CODE_ENABLE_TODO_TOOLS=1 DISABLE_AUTOUPDATER=1" {
		t.Errorf("%q, %v", plain, err)
	}
	resumed, err := Environ(Env{ResumeTurn: true, ResumePrompt: "Go on.\nPlease.", ResumeReason: "crash"})
	if err != nil || strings.Join(resumed[len(plain):], " ") != "CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1 CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS=1 "+
		"CLAUDE_CODE_RESUME_PROMPT=Go on.\nPlease. CLAUDE_CODE_RESUME_REASON=crash" {
		t.Errorf("%q, %v", resumed, err)
	}
	if _, err := Environ(Env{ResumeTurn: true, ResumePrompt: "a\x00b"}); messages.KindOf(err) != messages.Invalid {
		t.Errorf("a NUL: %v", err)
	}
}
