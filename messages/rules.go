package messages

// ExplainPermission asks what the user's rules say about a tool call. Nothing is
// called. Answered with [PermissionExplained].
type ExplainPermission struct {
	ask
	Tool             string
	Argument         string    // the one that rules look at: a command, a path, an address
	Input            []byte    // the whole input as JSON, instead of Argument
	WorkingDirectory string    // absolute
	Session          SessionID // that would call; empty: none, and nothing is said of an agent
}

// PermissionExplained answers [ExplainPermission].
type PermissionExplained struct {
	answer
	Effect   string         // "deny", "ask", "allow", or "none": the session's grants decide, then a person
	Rules    []string       // that decide, as text
	Why      string         // one line for people
	Known    int            // how many rules there are
	Problems []string       // rules that do not count, or not in full
	Agent    AgentExplained // of the session; the zero value without one
}

// AgentRules is what the agent of a session has of the rules.
type AgentRules struct {
	Running   bool
	Mode      string   // in which it works, or would
	NextMode  string   // in which it works when it is started again; empty: the same
	Ask, Deny []string // that it was handed, in its notation
	Missing   []string // that hold and that it has not confirmed yet: "ask Read(x)"
}

// AgentExplained is what the agent of a session decides about a call by itself: what it
// does not ask about, the daemon does not decide.
type AgentExplained struct {
	AgentRules
	Effect string // "allow" and "deny": without asking; "ask"
	Why    string // a clause for people
}

// TrustDirectory lets the settings of a directory count in full, and those of all
// below it, or no longer. Answered with [TrustedDirectories], durable.
type TrustDirectory struct {
	ask
	Directory string // absolute; empty changes nothing
	Trusted   bool
	Digest    string // of what was reviewed, from [DirectoryReview]; Aborted if it has changed since; empty = whatever is there
}

// TrustedDirectories answers [TrustDirectory].
type TrustedDirectories struct {
	answer
	Directories []string // absolute, behind symbolic links, sorted
}

// RuleLists are rules in the agent's own notation.
type RuleLists struct{ Allow, Ask, Deny []string }

// TestRules asks what rules would have decided about the tool calls that the
// journal still has of a session. Each is told to Found, in the order in which they
// ended, while the question is being answered; an error of Found ends it. Answered
// with [RulesTested].
type TestRules struct {
	ask
	Session SessionID
	Rules   *RuleLists // instead of the user's present ones; those of the directory count besides
	Found   func(TestedCall) error
}

// TestedCall is one tool call of the past, and what the rules say of it.
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
