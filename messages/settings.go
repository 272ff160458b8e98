package messages

import "time"

// The conversation between the gateway and the owner of the settings: the command
// that runs the daemon, since no actor knows them.

// SettingsScope is whose settings are meant.
type SettingsScope string

// The scopes.
const (
	SettingsInForce SettingsScope = ""        // what holds
	SettingsUser    SettingsScope = "user"    // what the user's files say
	SettingsProject SettingsScope = "project" // what .claude/settings.json of a directory says
	SettingsLocal   SettingsScope = "local"   // what .claude/settings.local.json of a directory says
)

// GetSettings asks what a scope says. Answered with [SettingsView].
type GetSettings struct {
	ask
	Scope     SettingsScope
	Directory string // absolute; required for the scopes of a directory
}

// UpdateSettings changes a file, all of it or nothing: settings.json for the first
// two scopes. Answered with the [SettingsView] of what holds then, durable; with
// [Aborted] if the file has changed since it had the revision named.
type UpdateSettings struct {
	ask
	Scope     SettingsScope
	Directory string
	Changes   []SettingChange
	Client    ClientID
	Revision  string // that the file must have, as a [SettingsView] of the scope told; empty = any
}

// SettingChange is one change: a value as a command line has it, or none, which takes
// the setting out of the file.
type SettingChange struct {
	Name, Value string
	Reset       bool
}

// SettingsView answers [GetSettings] and [UpdateSettings].
type SettingsView struct {
	answer
	Values   []SettingValue
	Features map[string]bool
	Trusted  []string // directories whose own rules may allow something
	Allows   bool     // there are rules that allow something
	Warnings []SettingWarning
	Revision string // of the file that the scope is changed in
}

// Get is the value of a setting, the zero value where the view has none.
func (v SettingsView) Get(name string) SettingValue {
	for _, s := range v.Values {
		if s.Name == name {
			return s
		}
	}
	return SettingValue{}
}

// SettingValue is one setting and where its value comes from.
type SettingValue struct {
	Name    string
	Value   any    // string, int64, bool, time.Duration, []time.Duration or []string; nil = it is set nowhere
	Text    string // as a command line has it
	Source  string
	Origin  string
	Line    int
	Default string
	Wants   string
	Help    string
	Live    bool
	Restart bool // another value counts with the next start
}

// SettingWarning is something in a settings file that counts for nothing.
type SettingWarning struct {
	Path         string
	Line, Column int // 0 = not about a line
	Message      string
}

// ListRules asks which permission rules count for a session, for a directory, or, for
// neither, everywhere. Answered with [RuleList].
type ListRules struct {
	ask
	Session   SessionID
	Directory string
}

// RuleList answers [ListRules], in the order in which rules are matched.
type RuleList struct {
	answer
	Rules []RuleEntry
}

// RuleEntry is one rule.
type RuleEntry struct {
	Effect         string // "deny", "ask" or "allow"
	Text           string // as it was written
	Tool, Argument string // taken apart; Argument empty = every call
	Source         string // the file it stands in, or "session"
	Line           int    // 0 = not known
	Problem        string // why it does not count, or not in full
}

// GetAgentReports asks what agents said of themselves when their last turn began, of
// one session or of all. Answered with [AgentReports].
type GetAgentReports struct {
	ask
	Session SessionID
	Limit   int // how many sessions are asked, the last ones used; 0 = 1000
}

// AgentReports answers [GetAgentReports], the newest first.
type AgentReports struct {
	answer
	Reports []AgentReport
}

// AgentReport is what an agent said of itself when a turn began.
type AgentReport struct {
	Session SessionID   `json:"-"`
	Running bool        `json:"-"` // the agent is still there
	At      time.Time   `json:"at"`
	Version string      `json:"version"`
	Model   string      `json:"model"`
	Tools   []string    `json:"tools"`
	Servers []McpServer `json:"mcp_servers"`
	Models  []string    `json:"-"` // that it offers, as far as it was asked
}

// McpServer is an MCP server in the words of an agent. What is not known is empty.
type McpServer struct {
	Name     string `json:"name"`
	Status   string `json:"status"`             // "connected", "pending", "failed", "needs-auth", "disabled", …
	Type     string `json:"type,omitempty"`     // "stdio", "http", "sse", …
	Endpoint string `json:"endpoint,omitempty"` // a program without its arguments, or the scheme and host of an address
}
