package messages

import "time"

// Messages between the gateway and the owner of the settings: the command that runs the daemon. No
// actor knows the settings.

// SettingsScope is whose settings are meant.
type SettingsScope string

// The scopes.
const (
	SettingsInForce SettingsScope = ""        // merged, in effect
	SettingsUser    SettingsScope = "user"    // the user's files
	SettingsProject SettingsScope = "project" // .claude/settings.json of a directory
	SettingsLocal   SettingsScope = "local"   // .claude/settings.local.json of a directory
)

// GetSettings asks for the settings of a scope. Answered with [SettingsView].
type GetSettings struct {
	ask
	Scope     SettingsScope
	Directory string // absolute; required for the scopes of a directory
}

// UpdateSettings changes a settings file, completely or not at all: settings.json for the first two
// scopes. Answered with the [SettingsView] in effect after the change, when it is durable, or with
// [Aborted] if the file has another revision.
type UpdateSettings struct {
	ask
	Scope     SettingsScope
	Directory string
	Changes   []SettingChange
	Client    ClientID
	Revision  string // expected revision of the file, from a [SettingsView] of the scope; empty = any
}

// SettingChange is one change: a new value, as on a command line, or Reset, which removes the
// setting from the file.
type SettingChange struct {
	Name, Value string
	Reset       bool
}

// SettingsView answers [GetSettings] and [UpdateSettings].
type SettingsView struct {
	answer
	Values   []SettingValue
	Features map[string]bool
	Trusted  []string // directories whose own rules may allow calls
	Allows   bool     // some rules allow calls
	Warnings []SettingWarning
	Revision string // of the file that changes of the scope are written to
}

// Get returns a setting, or the zero value if the view does not have it.
func (v SettingsView) Get(name string) SettingValue {
	for _, s := range v.Values {
		if s.Name == name {
			return s
		}
	}
	return SettingValue{}
}

// SettingValue is one setting and the origin of its value.
type SettingValue struct {
	Name    string
	Value   any    // string, int64, bool, time.Duration, []time.Duration or []string; nil = not set
	Text    string // as on a command line
	Source  string
	Origin  string
	Line    int
	Default string
	Wants   string
	Help    string
	Live    bool
	Restart bool   // a change takes effect with the next start
	Running string // with Restart: the value until then, as Text
}

// SettingWarning is an ignored part of a settings file.
type SettingWarning struct {
	Path         string
	Line, Column int // 0 = not about a line
	Message      string
}

// ListRules asks for the permission rules that apply to a session, to a directory, or, without
// both, everywhere. Answered with [RuleList].
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
	Text           string // as written in its file
	Tool, Argument string // parsed; empty Argument = every call
	Source         string // its file, or "session"
	Line           int    // 0 = not known
	Problem        string // why it is ignored, at least in part
}

// GetAgentReports asks for the reports of agents from the beginning of their last turns, for one
// session or for all. Answered with [AgentReports].
type GetAgentReports struct {
	ask
	Session SessionID
	Limit   int // number of sessions, most recently used first; 0 = 1000
}

// AgentReports answers [GetAgentReports], newest first.
type AgentReports struct {
	answer
	Reports []AgentReport
}

// AgentReport is what an agent reported about itself when a turn began.
type AgentReport struct {
	Session SessionID   `json:"-"`
	Running bool        `json:"-"` // the agent still runs
	At      time.Time   `json:"at"`
	Version string      `json:"version"`
	Model   string      `json:"model"`
	Tools   []string    `json:"tools"`
	Servers []McpServer `json:"mcp_servers"`
	Models  []string    `json:"-"` // models that it offers, if it was asked
}

// McpServer is an MCP server, as an agent reports it. Unknown fields are empty.
type McpServer struct {
	Name     string `json:"name"`
	Status   string `json:"status"`             // "connected", "pending", "failed", "needs-auth", "disabled", …
	Type     string `json:"type,omitempty"`     // "stdio", "http", "sse", …
	Endpoint string `json:"endpoint,omitempty"` // a program without its arguments, or the scheme and host of an address
}
