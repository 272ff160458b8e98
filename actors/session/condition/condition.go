// Package condition recognises what keeps an agent from running until a person acts: from the end of a run, or of a turn.
//
// It is a table. The first condition that fits counts. The session blocks itself, tells people and waits.
package condition

import (
	"cmp"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// Evidence is what a condition is recognised by: how a run ended, or how a turn of it did.
type Evidence struct {
	Exit       messages.Exit
	Stderr     string            // the end of what the process wrote to its standard error
	Turn       *claude.TurnEnded // nil at the end of a run
	MemoryGone bool              // the agent reported that it does not know the conversation
	Forgotten  bool              // and there is no transcript of it either
	Silent     bool              // the run wrote nothing to standard output
}

// Condition is what was recognised, for people.
type Condition struct {
	Name   messages.Condition
	Text   string // what is wrong
	Remedy string // what to do
	Why    string // in the words of the agent or the system; may be empty
}

// Find returns the condition that the evidence shows.
func Find(e Evidence) (Condition, bool) {
	for _, r := range table {
		if !r.shows(e) {
			continue
		}
		c := Condition{Name: r.name, Text: r.text, Remedy: r.remedy}
		if !e.MemoryGone {
			c.Why = cmp.Or(e.failure(), e.refusal(), e.Exit.Reason, e.Stderr)
		}
		return c, true
	}
	return Condition{}, false
}

// failure returns the agent's description of its failed turn.
func (e Evidence) failure() string {
	if e.Turn == nil {
		return ""
	}
	return e.Turn.Error
}

// refusal returns the complaint of an agent that exited at once because it would not start. It wrote nothing else, and its next
// start would repeat it.
func (e Evidence) refusal() string {
	if !e.Silent || !e.Exit.Known || e.Exit.Signal != "" || e.Exit.Code == 0 || e.Turn != nil || e.MemoryGone {
		return ""
	}
	return claude.Complaint(e.Stderr).Refusal()
}

type rule struct {
	name   messages.Condition
	shows  func(Evidence) bool
	text   string
	remedy string
}

var table = []rule{
	{
		messages.DirectoryGone, func(e Evidence) bool {
			return e.Exit.Stage == "directory" || strings.Contains(e.Stderr, "current directory no longer exists")
		},
		"The directory the agent works in is gone", "bring it back",
	},
	{
		messages.StateNotWritable, func(e Evidence) bool { return e.Exit.Stage == run.StageState },
		"The daemon cannot write to its state directory", "make the directory writable for the daemon's user",
	},
	{
		messages.AgentTooOld, func(e Evidence) bool { return e.Exit.Stage == run.StageVersion },
		"The agent's version is not supported", "upgrade it: " + claudecode.UpgradeCommand(),
	},
	{
		messages.StartRefused, func(e Evidence) bool { return e.refusal() != "" },
		"The agent refuses to start", "change what it says is wrong",
	},
	{
		messages.AgentMissing, func(e Evidence) bool { return e.Exit.Stage == "execute" },
		"The agent's program cannot be started", "install it (npm install -g @anthropic-ai/claude-code), or name its program (betcode config set agent.path PATH, betcode daemon restart), or have the next daemon use the PATH of your shell (betcode daemon restart --environment)",
	},
	{
		messages.FenceRefused, func(e Evidence) bool { return e.Exit.Stage == "fence" },
		"The agent cannot be fenced, so it is not started", "change what the reason names, or set agent.fence to off",
	},
	{
		messages.NotLoggedIn, func(e Evidence) bool {
			return e.Turn != nil && e.Turn.Failure == "AUTHENTICATION_FAILED" && strings.Contains(e.Turn.Error, "/login")
		},
		"The agent is not logged in", "log in: claude /login. Or give the daemon an API key (ANTHROPIC_API_KEY) and restart it",
	},
	{
		messages.KeyRefused, func(e Evidence) bool { return e.Turn != nil && e.Turn.Failure == "AUTHENTICATION_FAILED" },
		"The API refuses the agent's key", "give the daemon a valid key (ANTHROPIC_API_KEY) and restart it, or log in: claude /login",
	},
	{
		messages.ConversationDeleted, func(e Evidence) bool { return e.MemoryGone && e.Forgotten },
		"The agent's transcript of this conversation was deleted; its history is here, but it cannot be continued", "bring the transcript back, or begin another session",
	},
	{
		messages.MemoryGone, func(e Evidence) bool { return e.MemoryGone },
		"The agent no longer knows this conversation; its history is here, but it cannot be continued", "bring its transcript back, or begin another session",
	},
}
