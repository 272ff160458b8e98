package messages

// The conversation between the gateway and the command that runs the daemon, about how
// the daemon was started.

// GetStartup asks how this daemon was started. Answered with [Startup].
type GetStartup struct{ ask }

// Startup answers [GetStartup]. The environment holds secrets: it is for a caller that
// may end the daemon and start the next one, and is never logged. Nothing of it need be
// UTF-8.
type Startup struct {
	answer
	Arguments   []string // the command line, the name of the program first
	Environment []string // NAME=VALUE
	Directory   string   // absolute
	ErrorFile   string   // where the standard error of the next one goes
}
