package claude

import (
	"regexp"
	"slices"
	"strings"

	"betcode/messages/claudecode"
)

// What differs between versions of the CLI on the command line and on standard
// error. What differs between lines is in the translator, which knows the version
// from the init line.

// Fit returns a command line made by [Argv] as a version with these capabilities
// takes it: an option it does not know is left out, a version without command_lifecycle
// echoes the messages it has taken up, and one that asks hooks about changed settings is
// told to hold them.
func Fit(argv []string, can claudecode.Capabilities) []string {
	fitted := slices.Clone(argv)
	if !can.PartialMessages {
		fitted = slices.DeleteFunc(fitted, func(a string) bool { return a == "--include-partial-messages" })
	}
	if !can.CommandLifecycle {
		at := slices.Index(fitted, "--verbose") + 1 // before values that could look like an option
		fitted = slices.Insert(fitted, at, "--replay-user-messages")
	}
	if can.HeldChanges {
		fitted = withHook(fitted)
	}
	return fitted
}

// Complaint is the end of what a process has written to standard error, read for
// what follows from it.
type Complaint string

// MemoryGone reports that the conversation with an id could not be resumed. Old
// versions say so nowhere else.
func (c Complaint) MemoryGone(session string) bool {
	return session != "" && strings.Contains(string(c), memoryGone+" with session ID: "+session)
}

// IDTaken reports that a conversation could not be begun under an id, because a
// first turn that was lost has left something behind under it.
func (c Complaint) IDTaken(session string) bool {
	return session != "" && strings.Contains(string(c), "Session ID "+session+" is already in use")
}

// errnoName is the name of a system error, as Node.js prints it.
var errnoName = regexp.MustCompile(`\bE[A-Z]{3,}\b`)

// Refusal returns what the CLI said when it refused to start, empty if it did not:
// an option it does not know, a settings file it cannot read, a user it does not
// work for. The next start would fail in the same way.
func (c Complaint) Refusal() string {
	for line := range strings.Lines(string(c)) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		if !strings.HasPrefix(lower, "error: ") && !strings.Contains(lower, "cannot be used with root") {
			continue
		}
		if errnoName.MatchString(line) || strings.Contains(line, memoryGone) {
			continue // a full disk or a busy machine may be another one next time
		}
		return oneLine(line, maxCarried)
	}
	return ""
}
