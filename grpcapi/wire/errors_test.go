package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
)

// Each kind has a unique gRPC code, which maps back to the kind.
func TestKindsHaveCodes(t *testing.T) {
	seen := map[codes.Code]messages.Kind{}
	for _, kind := range messages.Kinds() {
		c, ok := kindCodes[kind]
		if !ok {
			t.Errorf("%v has no gRPC code", kind)
			continue
		}
		if other, twice := seen[c]; twice {
			t.Errorf("%v and %v share %v", kind, other, c)
		}
		seen[c] = kind
		if back := kindOf(c); back != kind {
			t.Errorf("%v becomes %v and comes back as %v", kind, c, back)
		}
		if got := status.Code(Status(&messages.Error{Op: "test", Kind: kind}).Err()); got != c {
			t.Errorf("Status(%v) = %v, want %v", kind, got, c)
		}
	}
	if len(kindCodes) != len(messages.Kinds()) {
		t.Errorf("the table has %d rows for %d kinds", len(kindCodes), len(messages.Kinds()))
	}
}

func TestStatus(t *testing.T) {
	lock := messages.Errorf("send input", messages.Denied, "client %q holds the input lock", "web-1").
		WithCode(messages.NoInputLock).WithHint("Ask for the lock, or watch.").With("holder_client_id", "web-1")
	for _, test := range []struct {
		name            string
		err             error
		code            codes.Code
		reason, message string
	}{
		{
			"catalogue", lock, codes.PermissionDenied, "NO_INPUT_LOCK",
			`send input: client "web-1" holds the input lock. Ask for the lock, or watch.`,
		},
		{"wrapped", fmt.Errorf("ask: %w", lock), codes.PermissionDenied, "NO_INPUT_LOCK", `send input: client "web-1" holds the input lock. Ask for the lock, or watch.`},
		{"no code", messages.Errorf("x", messages.Invalid, "y"), codes.InvalidArgument, "INVALID_ARGUMENT", "x: y"},
		{"canceled", context.Canceled, codes.Canceled, "CANCELLED", "serve: context canceled"},
		{"deadline", fmt.Errorf("ask: %w", context.DeadlineExceeded), codes.DeadlineExceeded, "DEADLINE_EXCEEDED", "serve: ask: context deadline exceeded. Try again; the daemon may be busy."},
		{"neither kind nor context", errors.New("boom"), codes.Internal, "INTERNAL", "serve: boom"},
		{"not text", messages.Errorf("x", messages.Invalid, "bytes \xff").With("k\xff", "v\xff"), codes.InvalidArgument, "INVALID_ARGUMENT", "x: bytes ?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Status(test.err)
			if s.Code() != test.code || s.Message() != test.message {
				t.Errorf("got %v %q, want %v %q", s.Code(), s.Message(), test.code, test.message)
			}
			if len(s.Details()) != 1 {
				t.Fatalf("details: %v", s.Details())
			}
			info, ok := s.Details()[0].(*errdetails.ErrorInfo)
			if !ok || info.GetReason() != test.reason || info.GetDomain() != "betcode" {
				t.Errorf("detail %v, want reason %s", s.Details()[0], test.reason)
			}
		})
	}
	if s := Status(status.Error(codes.ResourceExhausted, "grpc: received message larger than max")); s.Code() != codes.ResourceExhausted {
		t.Errorf("gRPC's own error became %v", s)
	}
	if s := Status(messages.Errorf("x", messages.Internal, "%s", strings.Repeat("é", 4000))); len(s.Message()) > maxErrorText+4 {
		t.Errorf("an error's text has %d bytes", len(s.Message()))
	}
}

// WithDetail must not change its argument, which other goroutines may use.
func TestWithDetail(t *testing.T) {
	original := messages.Errorf("x", messages.NotFound, "y").With("a", "1")
	changed := WithDetail(original, "b", "2")
	if len(original.Details) != 1 {
		t.Errorf("the original has %v", original.Details)
	}
	if d := AsError(changed).Details; d["a"] != "1" || d["b"] != "2" {
		t.Errorf("the copy has %v", d)
	}
}

// TestSentence: a hint is a sentence, and a command at its end has no full stop that would be copied with it.
func TestSentence(t *testing.T) {
	for hint, want := range map[string]string{
		"list them: betcode subagent list":                      "do it: none. List them: betcode subagent list",
		"wait, or remove it: betcode worktree remove two":       "do it: none. Wait, or remove it: betcode worktree remove two",
		"raise it: betcode session budget, or wait":             "do it: none. Raise it: betcode session budget, or wait.",
		"'betcode session list' shows sessions":                 "do it: none. 'betcode session list' shows sessions.",
		"Create it: betcode repo branches create. Then try it.": "do it: none. Create it: betcode repo branches create. Then try it.",
		"": "do it: none",
	} {
		if got := Sentence(messages.Errorf("do it", messages.NotFound, "none").WithHint(hint)); got != want {
			t.Errorf("%q: %q, want %q", hint, got, want)
		}
	}
}
