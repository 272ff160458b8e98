package exit

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/console"
	"betcode/config"
	"betcode/messages"
)

// failure is an error that has an exit code. A nil err prints nothing.
type failure struct {
	code int
	err  error
}

// Error implements error.
func (e failure) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e failure) Unwrap() error { return e.err }

// With gives an error an exit code.
func With(code int, err error) error { return failure{code, err} }

// Usage marks an error as a mistake on the command line. A nil error stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return failure{Invalid, err}
}

// Silent ends a command with a code and prints nothing, because the command has printed its message.
func Silent(code int) error { return failure{code: code} }

// Code returns the code with which a command ends.
func Code(err error) int {
	var (
		known  failure
		ours   *messages.Error
		file   *config.FileError
		remote interface{ GRPCStatus() *status.Status }
	)
	switch {
	case err == nil:
		return OK
	case errors.As(err, &known):
		return known.code
	case errors.As(err, &file):
		return Invalid
	case errors.As(err, &remote):
		s := remote.GRPCStatus()
		if reasonOf(s) == string(messages.SubprocessCrashed) {
			return Failed
		}
		if code, ok := byStatus[s.Code()]; ok {
			return code
		}
		return Internal
	case errors.As(err, &ours):
		if code, ok := byKind[ours.Kind]; ok {
			return code
		}
		return Internal
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, context.DeadlineExceeded):
		return Connection
	}
	return Failed
}

// IsSilent reports whether err needs no further message: it is nil, it was made by [Silent], or a person interrupted
// the command.
func IsSilent(err error) bool {
	var known failure
	return err == nil || errors.As(err, &known) && known.err == nil || Code(err) == Interrupted
}

// reasonOf returns the code of the error catalogue in a status.
func reasonOf(s *status.Status) string {
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info.GetReason()
		}
	}
	return ""
}

// Explain returns the text of an error for a person: the daemon's own sentence where there is one, and the hint.
// An error of the file system without a hint gets one that names the file.
func Explain(err error) string {
	var ours *messages.Error
	if errors.As(err, &ours) && ours.Hint != "" {
		return err.Error() + ". Hint: " + ours.Hint
	}
	var remote interface{ GRPCStatus() *status.Status }
	if errors.As(err, &remote) {
		s := remote.GRPCStatus()
		if s.Code() == codes.Unavailable && reasonOf(s) == "" { // of the transport, not of the daemon
			return "the connection to the daemon broke before it answered (" + console.Line(s.Message()) + "). Look at it with 'betcode daemon status', then try again"
		}
		return console.Line(s.Message())
	}
	if hint := remedy(err); hint != "" {
		return err.Error() + ". Hint: " + hint
	}
	return err.Error()
}
