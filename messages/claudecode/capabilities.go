package claudecode

import "slices"

// Capabilities are the capabilities of a version of Claude Code. Each field is a row of versions.json.
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
	// EndSession: end_session makes the agent exit gracefully.
	EndSession bool
	// LiveRules: apply_flag_settings is answered, and changes the rules of a running agent.
	LiveRules bool
	// SingleAnswers: each control request is answered once. Before, a change of the
	// permission mode is answered twice.
	SingleAnswers bool
	// ReusableSessionID: --session-id takes the id of a first turn that was lost.
	ReusableSessionID bool
	// ResumeErrorID: that result line has the id that was requested.
	ResumeErrorID bool
	// RepeatedInitialize: a second initialize succeeds.
	RepeatedInitialize bool
	// CommandLifecycle: command_lifecycle lines follow each user message.
	CommandLifecycle bool
	// BareAllow: a permission answer without updatedInput is accepted.
	BareAllow bool
	// ResultInputs: a result lists the uuids of all messages it has answered.
	ResultInputs bool
	// ToldCauses: each turn that does not begin with a message reports its cause: its result has an
	// origin, or a command of the agent starts before it.
	ToldCauses bool
	// HeldChanges: a hook ConfigChange can refuse settings that change while the agent runs.
	HeldChanges bool
}

// fields maps rows to fields of the struct.
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

// all has every capability, for unknown versions.
var all = func() (c Capabilities) {
	for _, field := range fields {
		*field(&c) = true
	}
	return c
}()

// Of returns the capabilities of a version, and those that the agent lists in its init line. says
// is nil if there was no init line.
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
