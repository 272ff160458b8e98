package rules

import "strings"

// namePattern matches the names of tools.
type namePattern struct {
	text   string
	wild   bool
	family map[string]bool // instead of text
}

// mcpPrefix begins the names of tools of MCP servers: mcp__server__tool. In names of servers and tools the agent replaces
// every character that is not a letter, digit, "_" or "-" by "_".
const mcpPrefix = "mcp__"

// newNamePattern reads the tool of a rule. "mcp__server" means all its tools.
func newNamePattern(tool string) namePattern {
	if rest, ok := strings.CutPrefix(tool, mcpPrefix); ok && !strings.Contains(rest, "__") && !strings.Contains(rest, "*") {
		tool += "__*"
	}
	return namePattern{text: tool, wild: strings.Contains(tool, "*")}
}

// named reports whether the pattern names its tool, or at least the server of the tools that it
// means.
func (p namePattern) named() bool {
	if !p.wild {
		return true
	}
	server, tool, ok := strings.Cut(strings.TrimPrefix(p.text, mcpPrefix), "__")
	return ok && strings.HasPrefix(p.text, mcpPrefix) && server != "" && !strings.Contains(server, "*") && tool != ""
}

func (p namePattern) match(tool string) bool {
	switch {
	case p.family != nil:
		return p.family[tool]
	case p.wild:
		return wildcard(p.text, tool)
	}
	return p.text == tool
}

// covers reports whether a rule that allows means a tool. The name of an MCP tool does not
// show where the name of its server ends: mcp__a__b__c may be a tool of the server "a__b", and
// mcp__a___b one of "a_". Only its whole name allows such a tool.
func (p namePattern) covers(tool string) bool {
	if !p.match(tool) {
		return false
	}
	inner, mcp := strings.CutPrefix(tool, mcpPrefix)
	if !p.wild || !mcp {
		return true
	}
	_, name, _ := strings.Cut(inner, "__")
	return name != "" && !strings.HasPrefix(name, "_") && !strings.Contains(name, "__")
}

// nearName recognises tools that a rule may mean without naming them exactly.
type nearName struct{ text string }

func newNearName(tool string) nearName { return nearName{folded(tool)} }

// match reports whether a tool is another spelling of the rule's, an older or a newer name of
// it, or, for MCP, may be one of the server that the rule seems to name.
func (n nearName) match(tool string) bool {
	other := folded(tool)
	if wildcard(n.text, other) || renamed[n.text] != "" && renamed[n.text] == renamed[other] {
		return true
	}
	return strings.HasPrefix(other, mcpPrefix) && wildcard(strings.TrimRight(n.text, "_*")+"__*", other)
}

// renamed are tools that the agent has had under several names, folded, with the newest.
var renamed = map[string]string{
	"task": "agent", "agent": "agent", "killshell": "taskstop", "killbash": "taskstop", "taskstop": "taskstop",
	"bashoutput": "taskoutput", "agentoutputtool": "taskoutput", "taskoutput": "taskoutput",
	"listpeers": "listagents", "listagents": "listagents", "brief": "sendusermessage", "sendusermessage": "sendusermessage",
	"listmcpresources": "listmcpresourcestool", "listmcpresourcestool": "listmcpresourcestool",
	"readmcpresource": "readmcpresourcetool", "readmcpresourcetool": "readmcpresourcetool",
	"readmcpresourcedir": "readmcpresourcedirtool", "readmcpresourcedirtool": "readmcpresourcedirtool",
	"proposegoal": "setgoal", "setgoal": "setgoal",
}

// folded returns a name as the agent would write it, in lower case.
func folded(tool string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_-*", r):
			return r
		}
		return '_'
	}, strings.TrimSpace(tool))
}

// wildcard reports whether a text is a pattern in which "*" stands for anything.
func wildcard(pattern, text string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(part):], after
	}
}

// exactly matches the kind of a subagent, or the name of a skill.
type exactly string

func (e exactly) any(c *call) bool {
	return c.kind == string(e) || c.kind != "" && c.kind == e.family()
}

// family returns the name in front of ":*" or " *", which stand for any arguments.
func (e exactly) family() string {
	return strings.TrimSuffix(strings.TrimSuffix(string(e), ":*"), " *")
}

// may is true of a call without a kind, which gets one from the agent, and of other
// spellings of the name: in another case, with a slash, with a plugin before it.
func (e exactly) may(c *call) bool {
	name := strings.TrimPrefix(strings.TrimSpace(c.kind), "/")
	bare := name[strings.LastIndexByte(name, ':')+1:]
	return c.kind == "" || strings.EqualFold(name, e.family()) || strings.EqualFold(bare, e.family())
}

func (e exactly) covers(c *call, _ int) bool { return c.kind == string(e) }

// others are tools of agents whose input no rule with an argument is compared with.
var others = set("Task", "TodoWrite", "TodoRead", "WebSearch", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion", "BashOutput", "KillShell", "KillBash",
	"TaskOutput", "TaskStop", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "AgentOutputTool", "SlashCommand", "ToolSearch", "LSP", "Monitor",
	"ListMcpResourcesTool", "ReadMcpResourceTool", "ReadMcpResourceDirTool", "EnterWorktree", "ExitWorktree", "SendMessage")

// Known reports whether a rule names a tool that agents have, or one of an MCP server.
func Known(tool string) bool {
	return members[tool] != nil || others[tool] || strings.HasPrefix(tool, mcpPrefix) && newNamePattern(tool).named()
}

// IsMCP reports whether a tool is one of an MCP server.
func IsMCP(tool string) bool { return strings.HasPrefix(tool, mcpPrefix) }
