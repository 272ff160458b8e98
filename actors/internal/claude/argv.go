package claude

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"betcode/messages"
)

// DefaultMode is the permission mode of an agent that was given none. It is always on
// the command line, because a resumed agent may remember another.
const DefaultMode = "default"

// BypassMode is the mode in which the agent asks about nothing but protected files. A
// running agent enters it only if it was started in it.
const BypassMode = "bypassPermissions"

const modeFlag = "--permission-mode"

// Spec describes the process to start.
type Spec struct {
	Program        string // path of the CLI
	SessionID      string // UUID of the conversation
	Resume         bool   // continue the conversation; otherwise begin it under that id
	Model          string // empty = the agent's default
	FallbackModel  string // used when the model stays overloaded; empty = none
	PermissionMode string // empty = DefaultMode
	PlanMode       bool   // short for the mode "plan", where no mode is set
	AllowedTools   []string
	DeniedTools    []string
	AskRules       []string // calls that the agent asks about in every mode, also if its own rules allow them
	SubagentText   bool     // include the texts of subagents in the foreground
	Options        messages.AgentOptions
	Fork           messages.Fork // begin SessionID as a fork of this conversation; not with Resume
}

// Argv returns the command line. A value that the CLI could take for an option,
// or that no command line can carry, is refused.
func Argv(s Spec) ([]string, error) {
	const op = "make command line"
	if s.Program == "" {
		return nil, messages.Errorf(op, messages.Invalid, "no program")
	}
	if uuid.Validate(s.SessionID) != nil || len(s.SessionID) != 36 {
		return nil, messages.Errorf(op, messages.Invalid, "the session id is not a UUID: %.64q", s.SessionID)
	}
	mode := s.PermissionMode
	switch {
	case mode == "" && s.PlanMode:
		mode = modePlan
	case mode == "":
		mode = DefaultMode
	}
	if err := checkProgram(op, s.Program); err != nil {
		return nil, err
	}
	for what, v := range map[string]*string{"model": &s.Model, "fallback model": &s.FallbackModel, "permission mode": &mode} {
		var err error
		if *v, err = argument(op, what, *v); err != nil {
			return nil, err
		}
	}
	argv := []string{
		s.Program, "-p", "--output-format", "stream-json", "--input-format", "stream-json",
		"--permission-prompt-tool", "stdio", "--include-partial-messages", "--verbose",
	}
	begin, err := s.begin(op)
	if err != nil {
		return nil, err
	}
	argv = append(argv, begin...)
	if s.Model != "" {
		argv = append(argv, "--model", s.Model)
	}
	if s.FallbackModel != "" {
		argv = append(argv, "--fallback-model", s.FallbackModel)
	}
	argv = append(argv, modeFlag, mode)
	if len(s.AskRules) > 0 {
		argv = append(argv, settingsFlag, DelegatedRules{Ask: s.AskRules}.settings())
	}
	options, err := optionArguments(op, s.Options)
	if err != nil {
		return nil, err
	}
	argv = append(argv, options...)
	if s.SubagentText {
		argv = append(argv, "--forward-subagent-text")
	}
	for _, list := range []struct {
		flag  string
		tools []string
	}{{"--allowedTools", s.AllowedTools}, {"--disallowedTools", s.DeniedTools}} {
		var values []string
		for _, tool := range list.tools {
			value, err := argument(op, "tool", tool)
			if err != nil {
				return nil, err
			}
			if value != "" {
				values = append(values, value)
			}
		}
		if len(values) > 0 {
			argv = append(append(argv, list.flag), values...)
		}
	}
	return argv, nil
}

// ModeOf returns the permission mode that a command line has; empty if it has none.
func ModeOf(argv []string) string {
	if at := slices.Index(argv, modeFlag); at >= 0 && at+1 < len(argv) {
		return argv[at+1]
	}
	return ""
}

// begin returns the arguments that name the conversation. A fork is cut after the message
// that was the last when it was made, however much its origin has grown since.
func (s Spec) begin(op string) ([]string, error) {
	switch {
	case s.Resume:
		return []string{"--resume", s.SessionID}, nil
	case s.Fork.AgentSession == "":
		return []string{"--session-id", s.SessionID}, nil
	}
	for _, id := range []string{s.Fork.AgentSession, s.Fork.Message} {
		if uuid.Validate(id) != nil || len(id) != 36 {
			return nil, messages.Errorf(op, messages.Invalid, "the origin of a fork is not a UUID: %.64q", id)
		}
	}
	return []string{
		"--resume", s.Fork.AgentSession, "--fork-session", "--session-id", s.SessionID, "--resume-session-at", s.Fork.Message,
	}, nil
}

// argument returns a value as the CLI gets it, see [messages.Argument].
func argument(op, what, v string) (string, error) {
	out, err := messages.Argument(v)
	if err != nil {
		return "", messages.Errorf(op, messages.Invalid, "the %s %w: %.64q", what, err, v)
	}
	return out, nil
}

// checkProgram refuses a path that is not the name of a file. The user chose the path, so
// spaces in it are kept.
func checkProgram(op, path string) error {
	switch {
	case strings.HasPrefix(strings.TrimSpace(path), "-"):
		return messages.Errorf(op, messages.Invalid, "the program begins with a dash: %.64q", path)
	case strings.ContainsFunc(path, unicode.IsControl):
		return messages.Errorf(op, messages.Invalid, "the program has control characters: %.64q", path)
	}
	return nil
}

// Env has the variables that a process gets in addition to the inherited ones.
type Env struct {
	// ResumeTurn makes a resumed process continue an interrupted turn by itself. The
	// process gets the call that was interrupted, so that it need not guess.
	ResumeTurn   bool
	ResumePrompt string // the prompt of the continued turn; empty = the agent's default
	ResumeReason string // comes back in TurnEnded; empty = the agent's default
}

// Environ returns the variables to add, as "name=value". They replace inherited
// ones of the same name.
func Environ(e Env) ([]string, error) {
	env := []string{
		"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1",
		"CLAUDE_CODE_ENABLE_TODO_TOOLS=1",
		"DISABLE_AUTOUPDATER=1",
	}
	if !e.ResumeTurn {
		return env, nil
	}
	env = append(env, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1", "CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS=1")
	for _, v := range [][2]string{
		{"CLAUDE_CODE_RESUME_PROMPT", e.ResumePrompt}, {"CLAUDE_CODE_RESUME_REASON", e.ResumeReason},
	} {
		if strings.ContainsRune(v[1], 0) {
			return nil, messages.Errorf("make environment", messages.Invalid, "%s contains a NUL", v[0])
		}
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return env, nil
}
