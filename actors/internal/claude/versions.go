package claude

import (
	"regexp"
	"slices"
	"strings"

	"betcode/messages/claudecode"
)

// Differences between versions of the CLI on the command line and on standard error. The
// translator handles differences between lines; it knows the version from the init
// line.

// Fit adapts a command line made by [Argv] to a version with these capabilities: it leaves
// out an option that the version does not know, has a version without command_lifecycle
// echo the messages that it has taken up, and gives a version that asks hooks about changed
// settings the hook that refuses them.
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

// Complaint is the end of a process's standard error, which is searched for known
// errors.
type Complaint string

// MemoryGone reports that the conversation with an id could not be resumed. Old
// versions report it nowhere else.
func (c Complaint) MemoryGone(session string) bool {
	return session != "" && strings.Contains(string(c), memoryGone+" with session ID: "+session)
}

// IDTaken reports that a conversation could not be begun under an id, because a
// first turn that was lost has left files under it.
func (c Complaint) IDTaken(session string) bool {
	return session != "" && strings.Contains(string(c), "Session ID "+session+" is already in use")
}

// errnoName is the name of a system error, as Node.js prints it.
var errnoName = regexp.MustCompile(`\bE[A-Z]{3,}\b`)

// Refusal returns the error with which the CLI refused to start, empty if it did not:
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
			continue // a full disk or a busy machine may not be so at the next start
		}
		return oneLine(line, maxCarried)
	}
	return ""
}
