package session

import (
	"testing"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// What a run wrote to standard error explains the end of that run. A failure of the next run, or
// of its start, has nothing to do with it.
func TestStandardErrorBelongsToItsRun(t *testing.T) {
	failed := func(b *bench) auditing {
		b.t.Helper()
		for _, e := range b.effects {
			if e, ok := e.(auditing); ok && e.entry.Type == messages.AuditSessionError {
				return e
			}
		}
		b.t.Fatalf("nothing failed: %v", b.said)
		return auditing{}
	}
	crashed := func(t *testing.T) *bench {
		b := running(t)
		end := b.exit(1)
		end.Complaint = "out of memory"
		b.tell(end)
		if e := failed(b); e.stderr != "out of memory" {
			t.Fatalf("the crash is explained by %q", e.stderr)
		}
		return b
	}
	t.Run("a turn of the next run fails", func(t *testing.T) {
		b := crashed(t)
		b.tell(restartDue{1})
		b.tell(b.up())
		b.tell(b.out(took("k1")...))
		b.quiet()
		b.tell(b.out(claude.TurnEnded{Inputs: []string{"k1"}, IsError: true, Failure: "AUTHENTICATION_FAILED", Error: "401"}))
		if e := failed(b); e.stderr != "" {
			t.Errorf("run 2 is blamed for %q", e.stderr)
		}
	})
	t.Run("the next run cannot be started", func(t *testing.T) {
		b := crashed(t)
		b.tell(messages.ChangeSettings{Session: sessionA, Client: "ann", Model: " -x"})
		b.quiet()
		b.tell(restartDue{1})
		if e := failed(b); e.stderr != "" {
			t.Errorf("the refused command line is blamed for %q", e.stderr)
		}
	})
}
