package messages

// ReviewDirectory asks which files and settings an agent in a directory would obey, and whether the
// user trusts them. It changes nothing. Answered with [DirectoryReview].
type ReviewDirectory struct {
	ask
	Directory string // absolute
}

// DirectoryReview answers [ReviewDirectory].
type DirectoryReview struct {
	answer
	Directory string // with symbolic links resolved
	Digest    string // of the content, for [TrustDirectory]
	Trusted   bool
	Known     bool               // it was trusted before, with other content
	Empty     bool               // there is nothing to obey
	Findings  []DirectoryFinding // what an agent would obey
	Changes   []DirectoryFinding // since it was trusted, if it was
	Problems  []string           // reasons why it cannot be trusted
	Ask       []string           // rules for calls that an agent asks about until it is trusted
	Files     map[string]string  // all that it covers: absolute paths with the SHA-256 of their content, in hexadecimal
}

// DirectoryFinding is one thing in a file that an agent would obey.
type DirectoryFinding struct {
	Mark string // of a change: "+", "-" or "~"
	Kind string // "hook", "server", "allow", "env", "helper", "setting", "shell", "prompt", "file", "git", "task", "broken"
	Path string // absolute, of the file
	Text string // one line, not escaped for terminals
}

// GuardMode is how much of its directory an agent obeys.
type GuardMode string

// The modes of a [Guard].
const (
	GuardOff    GuardMode = ""           // everything: the user trusts it
	GuardQuiet  GuardMode = "guarded"    // nothing: there was nothing to obey, and new files are not obeyed
	GuardStrict GuardMode = "restricted" // nothing, although there is something to obey
)

// Guard is how much of its directory an agent was started to obey.
type Guard struct {
	Mode     GuardMode          `json:"mode"`
	Digest   string             `json:"digest"` // of the content at the start
	Withheld []DirectoryFinding `json:"withheld,omitempty"`
	Problems []string           `json:"problems,omitempty"`
	Ask      []string           `json:"ask,omitempty"` // rules for calls that the agent asks about
}

// Restricted reports whether something of the directory is not in effect.
func (g Guard) Restricted() bool { return g.Mode == GuardStrict }
