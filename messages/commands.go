package messages

import (
	"slices"
	"time"
)

// What a client may offer while somebody types.

// GetAbilities asks what a session's agent can be asked for. One that runs is asked
// itself, and what it said is remembered; else, or where Remembered is set, that is
// the answer. Answered with [Abilities].
type GetAbilities struct {
	ask
	Session    SessionID
	Remembered bool // do not ask the agent
}

// Target implements [SessionRequest].
func (m GetAbilities) Target() SessionID { return m.Session }

// Abilities is what an agent has told that it can be asked for. It has told nothing
// before its first turn.
type Abilities struct {
	answer
	Fresh    bool // said by the agent just now
	Commands []AgentCommand
	Skills   []string // names of the commands that are skills; nil = it has not said
	Agents   []AgentType
	Models   []string // names that the agent takes for a model; nil = it has not said
}

// AgentCommand is what may follow a "/" in a message. What is not known is empty.
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

// GetSubagents asks which subagents a session's agent has running, as of what it has
// said and the journal has. Answered with [Subagents]: none, if no agent runs.
type GetSubagents struct {
	ask
	Session SessionID
}

// Subagents answers [GetSubagents], oldest first.
type Subagents struct {
	answer
	Subagents []Subagent
}

// Subagent is one that an agent has started by itself and that has not ended. What is
// not known is empty.
type Subagent struct {
	Task        string // its id
	ToolUse     string // the tool call that started it
	Type        string // name of its [AgentType]
	Description string
	State       string // "running", "pending", "completed", "failed", … as the agent names it
	Background  bool   // it may outlive its turn
}

// Learn returns what is known after an agent has said more: what it has listed now
// counts, and where it was brief this time, what it said about the same before.
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

// ListPath asks what is in a session's working directory that begins as Query does.
// Answered with [PathList]: directories first, each by name.
type ListPath struct {
	ask
	Session SessionID
	Query   string // relative to the directory; the last part may be unfinished
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
