package claudecode

import "slices"

// Capabilities is what a version of Claude Code can do. Each field is a row of
// versions.json.
type Capabilities struct {
	// PartialMessages: --include-partial-messages is a known option.
	PartialMessages bool
	// Questions: the model has the tool AskUserQuestion.
	Questions bool
	// ResumeErrorResult: "No conversation found" comes as a result line, not on
	// standard error only.
	ResumeErrorResult bool
	// BinaryVersion: get_binary_version is answered. Before, an unknown control
	// request gets no answer at all.
	BinaryVersion bool
	// EndSession: end_session makes the agent exit in order.
	EndSession bool
	// LiveRules: apply_flag_settings is answered, and gives a running agent rules.
	LiveRules bool
	// SingleAnswers: each control request is answered once. Before, a change of the
	// permission mode is answered twice.
	SingleAnswers bool
	// ReusableSessionID: --session-id takes the id of a first turn that was lost.
	ReusableSessionID bool
	// ResumeErrorID: that result line carries the id that was asked for.
	ResumeErrorID bool
	// RepeatedInitialize: a second initialize succeeds.
	RepeatedInitialize bool
	// CommandLifecycle: command_lifecycle lines follow each user message.
	CommandLifecycle bool
	// BareAllow: a permission answer without updatedInput is accepted.
	BareAllow bool
	// ResultInputs: a result lists the uuids of all messages it has answered.
	ResultInputs bool
	// ToldCauses: each turn that no message has begun says what has: its result has an origin,
	// or a command of the agent's own is started before it.
	ToldCauses bool
	// HeldChanges: a hook ConfigChange can refuse settings that change while the agent runs.
	HeldChanges bool
}

// fields connects the rows with the struct.
var fields = map[string]func(*Capabilities) *bool{
	"partial_messages":    func(c *Capabilities) *bool { return &c.PartialMessages },
	"questions":           func(c *Capabilities) *bool { return &c.Questions },
	"resume_error_result": func(c *Capabilities) *bool { return &c.ResumeErrorResult },
	"binary_version":      func(c *Capabilities) *bool { return &c.BinaryVersion },
	"end_session":         func(c *Capabilities) *bool { return &c.EndSession },
	"live_rules":          func(c *Capabilities) *bool { return &c.LiveRules },
	"single_answers":      func(c *Capabilities) *bool { return &c.SingleAnswers },
	"reusable_session_id": func(c *Capabilities) *bool { return &c.ReusableSessionID },
	"resume_error_id":     func(c *Capabilities) *bool { return &c.ResumeErrorID },
	"repeated_initialize": func(c *Capabilities) *bool { return &c.RepeatedInitialize },
	"command_lifecycle":   func(c *Capabilities) *bool { return &c.CommandLifecycle },
	"bare_allow":          func(c *Capabilities) *bool { return &c.BareAllow },
	"result_inputs":       func(c *Capabilities) *bool { return &c.ResultInputs },
	"told_causes":         func(c *Capabilities) *bool { return &c.ToldCauses },
	"held_changes":        func(c *Capabilities) *bool { return &c.HeldChanges },
}

// all has every capability: that of a version that is not known.
var all = func() (c Capabilities) {
	for _, field := range fields {
		*field(&c) = true
	}
	return c
}()

// Of returns the capabilities of a version. What the agent says of itself, the
// capabilities of its init line, adds to what its version says; says is nil where
// no init line has been seen.
func Of(version string, says ...string) Capabilities {
	if Release(version) == "" {
		return all
	}
	var c Capabilities
	for name, row := range known.Capabilities {
		*fields[name](&c) = !Older(version, row.From) || row.Says != "" && slices.Contains(says, row.Says)
	}
	return c
}
