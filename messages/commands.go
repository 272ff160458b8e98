package messages

import (
	"slices"
	"time"
)

// Messages for completion while a person types.

// GetAbilities asks for the commands, skills, subagents and models of a session's agent.
// A running agent is asked, and its answer is stored. If none runs, or StoredOnly is set,
// the stored answer is returned. Answered with [Abilities].
type GetAbilities struct {
	ask
	Session    SessionID
	StoredOnly bool // do not ask the agent
}

// Target implements [SessionRequest].
func (m GetAbilities) Target() SessionID { return m.Session }

// Abilities are the commands, skills, subagents and models that an agent has reported.
// They are empty before its first turn.
type Abilities struct {
	answer
	Fresh    bool // the agent reported it for this request
	Commands []AgentCommand
	Skills   []string // names of the commands that are skills; nil = not reported
	Agents   []AgentType
	Models   []string // names that the agent accepts as a model; nil = not reported
}

// AgentCommand is a command that may follow a "/" in a message. Unknown fields are empty.
type AgentCommand struct {
	Name        string
	Description string
	Arguments   string // a hint: "[issue]"
}

// AgentType is a kind of subagent that an agent can start.
type AgentType struct {
	Name        string
	Description string
}

// GetSubagents asks which subagents a session's agent is running, as far as it has
// reported and the journal has stored. Answered with [Subagents], which is empty if no
// agent runs.
type GetSubagents struct {
	ask
	Session SessionID
}

// Subagents answers [GetSubagents], oldest first.
type Subagents struct {
	answer
	Subagents []Subagent
}

// Subagent is a subagent that an agent started by itself and that has not ended. Unknown
// fields are empty.
type Subagent struct {
	Task        string // its id
	ToolUse     string // the tool call that started it
	Type        string // name of its [AgentType]
	Description string
	State       string // "running", "pending", "completed", "failed", … as the agent names it
	Background  bool   // it may outlive its turn
}

// Learn returns the abilities after a new report. The new lists replace the old ones; a
// description or a list that the new report lacks is taken from a.
func (a Abilities) Learn(now Abilities) Abilities {
	commands := slices.Clone(now.Commands)
	for i, c := range commands {
		if at := slices.IndexFunc(a.Commands, func(old AgentCommand) bool { return old.Name == c.Name }); at >= 0 && c.Description == "" {
			commands[i] = a.Commands[at]
		}
	}
	agents := slices.Clone(now.Agents)
	for i, t := range agents {
		if at := slices.IndexFunc(a.Agents, func(old AgentType) bool { return old.Name == t.Name }); at >= 0 && t.Description == "" {
			agents[i] = a.Agents[at]
		}
	}
	skills := now.Skills
	if skills == nil {
		skills = a.Skills
	}
	models := now.Models
	if models == nil {
		models = a.Models
	}
	return Abilities{Fresh: now.Fresh, Commands: commands, Skills: skills, Agents: agents, Models: models}
}

// ListPath asks for entries of a session's working directory whose paths begin with
// Query. Answered with [PathList]: directories first, each by name.
type ListPath struct {
	ask
	Session SessionID
	Query   string // relative to the directory; the last element may be incomplete
	Limit   int
}

// PathList answers [ListPath].
type PathList struct {
	answer
	Entries   []PathEntry
	Truncated bool // there are more
}

// PathKind is what a path leads to.
type PathKind uint8

// The kinds of paths.
const (
	PathOther PathKind = iota
	PathFile
	PathDirectory
	PathSymlink // to something below the directory
)

// PathEntry is one completion.
type PathEntry struct {
	Path     string // relative to the directory, with slashes
	Kind     PathKind
	Size     int64
	Modified time.Time
}
