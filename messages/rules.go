package messages

// ExplainPermission asks what the user's rules say about a tool call. Nothing is
// called. Answered with [PermissionExplained].
type ExplainPermission struct {
	ask
	Tool             string
	Argument         string // the one that rules look at: a command, a path, an address
	Input            []byte // the whole input as JSON, instead of Argument
	WorkingDirectory string // absolute
}

// PermissionExplained answers [ExplainPermission].
type PermissionExplained struct {
	answer
	Effect   string   // "deny", "ask", "allow", or "none": the session's grants decide, then a person
	Rules    []string // that decide, as text
	Why      string   // one line for people
	Known    int      // how many rules there are
	Problems []string // rules that do not count, or not in full
}

// TrustDirectory lets the settings of a directory count in full, and those of all
// below it, or no longer. Answered with [TrustedDirectories], durable.
type TrustDirectory struct {
	ask
	Directory string // absolute; empty changes nothing
	Trusted   bool
}

// TrustedDirectories answers [TrustDirectory].
type TrustedDirectories struct {
	answer
	Directories []string // absolute, behind symbolic links, sorted
}
