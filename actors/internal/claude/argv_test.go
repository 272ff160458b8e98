package claude

import (
	"slices"
	"strings"
	"testing"

	"betcode/messages"
)

const anyID = "44a6f869-7d47-46d4-a0e2-6a0447eed53a"

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
