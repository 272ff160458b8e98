package exit

import (
	"google.golang.org/grpc/codes"

	"betcode/messages"
)

// The exit codes: those of the API document, and the shell's own for Ctrl-C.
const (
	OK          = 0
	Failed      = 1
	Connection  = 2
	Denied      = 3
	RateLimited = 4
	Invalid     = 5
	NotFound    = 6
	Internal    = 7
	Interrupted = 130
)

// Meaning is one line of the table of exit codes.
type Meaning struct {
	Code       int
	Name, Text string
}

// Meanings is the table that 'betcode exit-codes' prints.
func Meanings() []Meaning {
	return []Meaning{
		{OK, "success", "the command worked"},
		{Failed, "agent error", "the agent reported an error, the session is in no state for the command, the feature is switched off, or 'betcode search' found nothing"},
		{Connection, "connection failure", "no daemon answers, or it was away for longer than --connect-timeout"},
		{Denied, "permission denied", "another client holds the input lock; an agent tried what only people may do; or 'betcode run' denied a tool because no person could be asked"},
		{RateLimited, "rate limited", "a limit is reached: that of the model's provider, of agents that may run at once, or a budget"},
		{Invalid, "invalid arguments", "the command line or a value in it is wrong"},
		{NotFound, "not found", "there is no such session or permission request"},
		{Internal, "internal error", "the daemon failed; its log has the details"},
		{Interrupted, "interrupted", "Ctrl-C"},
	}
}

// byStatus maps gRPC codes to exit codes.
var byStatus = map[codes.Code]int{
	codes.OK:                 OK,
	codes.Canceled:           Interrupted,
	codes.Unknown:            Internal,
	codes.InvalidArgument:    Invalid,
	codes.DeadlineExceeded:   Connection,
	codes.NotFound:           NotFound,
	codes.AlreadyExists:      Failed,
	codes.PermissionDenied:   Denied,
	codes.ResourceExhausted:  RateLimited,
	codes.FailedPrecondition: Failed,
	codes.Aborted:            Failed,
	codes.OutOfRange:         Invalid,
	codes.Unimplemented:      Failed, // a feature that is switched off, or an older daemon
	codes.Internal:           Internal,
	codes.Unavailable:        Connection,
	codes.DataLoss:           Internal,
	codes.Unauthenticated:    Denied,
}

// byKind maps kinds of errors to exit codes, for commands that work without a daemon and for the daemon itself.
var byKind = map[messages.Kind]int{
	messages.Invalid:       Invalid,
	messages.NotFound:      NotFound,
	messages.Denied:        Denied,
	messages.Exhausted:     RateLimited,
	messages.Unavailable:   Failed, // another daemon runs
	messages.WrongState:    Failed,
	messages.AlreadyExists: Failed,
	messages.Canceled:      Interrupted,
}
