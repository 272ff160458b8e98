package messages

// ExplainPermission asks how the user's rules decide a tool call, without calling the
// tool. Answered with [PermissionExplained].
type ExplainPermission struct {
	ask
	Tool             string
	Argument         string    // the argument that rules match: a command, a path, an address
	Input            []byte    // the whole input as JSON, instead of Argument
	WorkingDirectory string    // absolute
	Session          SessionID // session that would call; empty: none, and Agent of the answer is zero
}

// PermissionExplained answers [ExplainPermission].
type PermissionExplained struct {
	answer
	Effect   string         // "deny", "ask" or "allow"; "none": the session's grants decide, then a person
	Rules    []string       // the deciding rules, as text
	Why      string         // one line for people
	Known    int            // number of rules
	Problems []string       // rules that are ignored, at least in part
	Agent    AgentExplained // of the session; the zero value without one
}

// AgentRules are the rules that the agent of a session has.
type AgentRules struct {
	Running   bool
	Mode      string   // present mode, or the mode of the next agent if none runs
	NextMode  string   // mode after a restart; empty: the same
	Ask, Deny []string // rules that it got, in its notation
	Missing   []string // rules in force that it has not confirmed yet: "ask Read(x)"
}

// AgentExplained is how the agent of a session decides a call by itself. The daemon
// decides only calls that the agent asks about.
type AgentExplained struct {
	AgentRules
	Effect string // "allow" or "deny" without asking the daemon, or "ask"
	Why    string // a clause for people
}

// TrustDirectory trusts the settings of a directory and of all directories below it, or
// revokes that trust. Answered with [TrustedDirectories] when the change is durable.
type TrustDirectory struct {
	ask
	Directory string // absolute; empty changes nothing
	Trusted   bool
	Digest    string // of what was reviewed, from [DirectoryReview]; [Aborted] if it has changed since; empty = any content
}

// TrustedDirectories answers [TrustDirectory].
type TrustedDirectories struct {
	answer
	Directories []string // absolute, with symbolic links resolved, sorted
}

// RuleLists are rules in the agent's own notation.
type RuleLists struct{ Allow, Ask, Deny []string }

// TestRules asks how rules would have decided the tool calls of a session that are still
// in the journal. Found is called for each call, in the order in which they ended, before
// the answer; an error of Found ends the test. Answered with [RulesTested].
type TestRules struct {
	ask
	Session SessionID
	Rules   *RuleLists // replace the user's present rules; those of the directory still apply
	Found   func(TestedCall) error
}

// TestedCall is one past tool call, and how the rules decide it.
type TestedCall struct {
	Seq         Seq // of the event that shows the call
	Tool        string
	Description string
	Was         string // "not asked", "unanswered", or the decision: "ALLOW_ONCE", "DENY", …
	By          string // the person or client that decided; empty for none
	Effect      string // as in [PermissionExplained]
	Rules       []string
}

// RulesTested answers [TestRules].
type RulesTested struct {
	answer
	Calls    int
	Problems []string // of the rules, as in [PermissionExplained]
}
