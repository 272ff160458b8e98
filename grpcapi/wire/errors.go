package wire

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// errorDomain is the domain of the ErrorInfo detail every status carries.
const errorDomain = "betcode"

// maxErrorText bounds an error's text in bytes. It is sent in a trailer, and clients limit the size of trailers.
const maxErrorText = 2048

// kindCodes is the only table from kinds to gRPC codes.
var kindCodes = map[messages.Kind]codes.Code{
	messages.Internal:         codes.Internal,
	messages.Invalid:          codes.InvalidArgument,
	messages.NotFound:         codes.NotFound,
	messages.AlreadyExists:    codes.AlreadyExists,
	messages.WrongState:       codes.FailedPrecondition,
	messages.Exhausted:        codes.ResourceExhausted,
	messages.Unavailable:      codes.Unavailable,
	messages.Denied:           codes.PermissionDenied,
	messages.Unauthenticated:  codes.Unauthenticated,
	messages.Aborted:          codes.Aborted,
	messages.OutOfRange:       codes.OutOfRange,
	messages.DeadlineExceeded: codes.DeadlineExceeded,
	messages.Unimplemented:    codes.Unimplemented,
	messages.DataLoss:         codes.DataLoss,
	messages.Canceled:         codes.Canceled,
}

// codeOf returns the gRPC code of a kind; Internal for a kind missing from the table.
func codeOf(k messages.Kind) codes.Code {
	if c, ok := kindCodes[k]; ok {
		return c
	}
	return codes.Internal
}

// kindOf returns the kind of a gRPC code, for errors that gRPC itself returns.
func kindOf(c codes.Code) messages.Kind {
	for kind, code := range kindCodes {
		if code == c {
			return kind
		}
	}
	return messages.Internal
}

// AsError returns err as a [messages.Error]. Errors of contexts and of gRPC get their kind
// here; any other error is a bug and becomes Internal.
func AsError(err error) *messages.Error {
	var ours *messages.Error
	if errors.As(err, &ours) {
		return ours
	}
	if s, ok := status.FromError(err); ok {
		return messages.Errorf("serve", kindOf(s.Code()), "%s", s.Message())
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &messages.Error{Op: "serve", Kind: messages.Canceled, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return (&messages.Error{Op: "serve", Kind: messages.DeadlineExceeded, Err: err}).
			WithHint("Try again; the daemon may be busy.")
	}
	return &messages.Error{Op: "serve", Kind: messages.Internal, Err: err}
}

// Reason returns the error's code for programs: its own code, or the name of its gRPC code.
func Reason(e *messages.Error) string {
	if e.Code != "" {
		return string(e.Code)
	}
	return code.Code(codeOf(e.Kind)).String()
}

// Sentence returns the text for people: what failed, why, and the hint.
func Sentence(e *messages.Error) string {
	text := e.Error()
	if e.Hint != "" {
		text = strings.TrimRight(text, ".") + ". " + asSentence(e.Hint)
	}
	text = strings.ToValidUTF8(text, "?")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}

// asSentence returns a hint as a sentence. Hints that begin with a name or a command keep
// their first letter.
func asSentence(hint string) string {
	first, size := utf8.DecodeRuneInString(hint)
	if word, _, more := strings.Cut(hint, " "); more && word != "betcode" {
		hint = string(unicode.ToUpper(first)) + hint[size:]
	}
	if !strings.HasSuffix(hint, ".") && !endsInCommand(hint) {
		hint += "."
	}
	return hint
}

// endsInCommand reports whether a hint ends in a command that a person copies. A full stop would be part of its last word.
func endsInCommand(hint string) bool {
	const command = ": betcode "
	i := strings.LastIndex(hint, command)
	return i >= 0 && !strings.ContainsAny(hint[i+len(command):], ",;(")
}

// details returns the details of e as valid UTF-8, which protobuf strings must be.
func details(e *messages.Error) map[string]string {
	if len(e.Details) == 0 {
		return nil
	}
	clean := make(map[string]string, len(e.Details))
	for key, value := range e.Details {
		clean[strings.ToValidUTF8(key, "?")] = strings.ToValidUTF8(value, "?")
	}
	return clean
}

// Status returns the gRPC status that a client gets for err, with its code for programs and its details.
func Status(err error) *status.Status {
	if s, ok := status.FromError(err); ok {
		var ours *messages.Error
		if !errors.As(err, &ours) {
			return s // gRPC's own, or OK
		}
	}
	e := AsError(err)
	s := status.New(codeOf(e.Kind), Sentence(e))
	about := []protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: Reason(e), Domain: errorDomain, Metadata: details(e)}}
	if wait, err := strconv.ParseUint(e.Details[messages.RetryAfter], 10, 31); err == nil {
		about = append(about, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Duration(wait) * time.Millisecond)})
	}
	detailed, err := s.WithDetails(about...)
	if err != nil {
		return s
	}
	return detailed
}

// ErrorEvent returns err as an event of a stream. It is not journaled: its sequence is 0.
func ErrorEvent(err error, fatal bool) *pb.AgentEvent {
	e := AsError(err)
	return &pb.AgentEvent{
		Timestamp: timestamppb.Now(),
		Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
			Code: Reason(e), Message: Sentence(e), IsFatal: fatal, Details: details(e),
		}},
	}
}

// WithDetail returns a copy of err with one more detail.
func WithDetail(err error, key, value string) error {
	if value == "" {
		return err
	}
	e := *AsError(err)
	e.Details = maps.Clone(e.Details)
	return e.With(key, value)
}

// Invalid returns the error for a malformed request, with a hint for its sender.
func Invalid(op, hint, format string, args ...any) *messages.Error {
	return messages.Errorf(op, messages.Invalid, format, args...).WithHint(hint)
}
