package grpcapi

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

// maxErrorText bounds an error's text: it travels in a trailer, and clients bound
// their trailers.
const maxErrorText = 2048

// kindCodes is the one table from kinds to gRPC codes.
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

// codeOf returns the gRPC code of a kind; a kind missing from the table is a bug
// of ours, and says so.
func codeOf(k messages.Kind) codes.Code {
	if c, ok := kindCodes[k]; ok {
		return c
	}
	return codes.Internal
}

// kindOf is the table read backwards, for the errors that gRPC itself makes.
func kindOf(c codes.Code) messages.Kind {
	for kind, code := range kindCodes {
		if code == c {
			return kind
		}
	}
	return messages.Internal
}

// asError makes an error of ours of any error. The context's errors join the
// table here, and those of gRPC; what is neither is a bug.
func asError(err error) *messages.Error {
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

// reason is the code for programs: the catalogue's, or where that has none the
// name of the gRPC code.
func reason(e *messages.Error) string {
	if e.Code != "" {
		return string(e.Code)
	}
	return code.Code(codeOf(e.Kind)).String()
}

// sentence is the text for people: what, why, and what to do.
func sentence(e *messages.Error) string {
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

// asSentence gives a hint the form of a sentence: hints that begin with a name or
// a command are left as they are.
func asSentence(hint string) string {
	first, size := utf8.DecodeRuneInString(hint)
	if word, _, more := strings.Cut(hint, " "); more && word != "betcode" {
		hint = string(unicode.ToUpper(first)) + hint[size:]
	}
	if !strings.HasSuffix(hint, ".") {
		hint += "."
	}
	return hint
}

// details are the catalogue's details, fit for a protobuf string.
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

// toStatus is what a client gets for err.
func toStatus(err error) *status.Status {
	if s, ok := status.FromError(err); ok {
		var ours *messages.Error
		if !errors.As(err, &ours) {
			return s // gRPC's own, or OK
		}
	}
	e := asError(err)
	s := status.New(codeOf(e.Kind), sentence(e))
	about := []protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: reason(e), Domain: errorDomain, Metadata: details(e)}}
	if wait, err := strconv.ParseUint(e.Details[messages.RetryAfter], 10, 31); err == nil {
		about = append(about, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Duration(wait) * time.Millisecond)})
	}
	detailed, err := s.WithDetails(about...)
	if err != nil {
		return s
	}
	return detailed
}

// errorEvent is err as an event of a stream. It is not journaled: its sequence is 0.
func errorEvent(err error, fatal bool) *pb.AgentEvent {
	e := asError(err)
	return &pb.AgentEvent{
		Timestamp: timestamppb.Now(),
		Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
			Code: reason(e), Message: sentence(e), IsFatal: fatal, Details: details(e),
		}},
	}
}

// withDetail returns err with one more detail, leaving err itself as it was.
func withDetail(err error, key, value string) error {
	if value == "" {
		return err
	}
	e := *asError(err)
	e.Details = maps.Clone(e.Details)
	return e.With(key, value)
}

// invalid is a malformed request: what is wrong with it, and what to do.
func invalid(op, hint, format string, args ...any) *messages.Error {
	return messages.Errorf(op, messages.Invalid, format, args...).WithHint(hint)
}
