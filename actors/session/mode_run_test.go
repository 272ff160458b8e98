package session

import (
	"slices"
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// mode is the mode that the newest run was started with.
func (b *bench) mode() string {
	argv := b.state.run.Argv
	return argv[slices.Index(argv, "--permission-mode")+1]
}

// A mode that skips asking ends with the run it was granted to, unless a client
// has a hand in the next one.
func TestModeBelongsToItsClient(t *testing.T) {
	grant := func(b *bench, mode string) {
		b.tell(messages.ChangeSettings{Session: sessionA, Client: "ann", PermissionMode: mode, ConfirmMode: true})
		b.quiet()
	}
	crashed := func(b *bench) {
		b.tell(b.exit(137))
		b.tell(inTranscript(1, "k1"))
	}
	for mode, after := range map[string]string{
		"acceptEdits": "default", "bypassPermissions": "default", "auto": "default", "plan": "plan", "dontAsk": "dontAsk", "default": "default",
	} {
		b := turning(t)
		grant(b, mode)
		crashed(b)
		b.tell(restartDue{1})
		if got := b.mode(); got != after || b.state.record.PermissionMode != after {
			t.Errorf("%s: the agent that wakes by itself has %s", mode, got)
		}
		told := slices.ContainsFunc(b.said, func(s string) bool { return strings.Contains(s, "notice MODE_RESET") })
		if told != (mode != after) {
			t.Errorf("%s: %q", mode, b.said)
		}
	}
	t.Run("the first run has the mode it was asked for", func(t *testing.T) {
		b := newBench(t)
		m := start("ann")
		m.PermissionMode, m.ConfirmMode = "bypassPermissions", true
		b.tell(m)
		b.tell(input("ann", "k1"))
		if got := b.mode(); got != "bypassPermissions" {
			t.Errorf("it has %s", got)
		}
		b.tell(b.up())
		b.tell(b.out(append(took("k1"), finished("k1"))...))
		b.tell(b.exit(0))
		b.tell(input("ann", "k2")) // a client speaks
		if got := b.mode(); got != "bypassPermissions" {
			t.Errorf("the second has %s", got)
		}
	})
	t.Run("a message during the backoff", func(t *testing.T) {
		b := turning(t)
		grant(b, "acceptEdits")
		crashed(b)
		b.tell(input("ann", "k2"))
		b.tell(restartDue{1})
		if got := b.mode(); got != "acceptEdits" {
			t.Errorf("it has %s", got)
		}
	})
	t.Run("the daemon dies", func(t *testing.T) {
		b := turning(t)
		b.tell(b.out(claude.ModeChanged{Mode: "acceptEdits"}))
		b.tell(b.exit(137))
		b.crash()
		b.crash() // once more, with the message made ready again
		b.tell(inTranscript(1, "k1"))
		if got := b.mode(); b.state.record.Run != 2 || got != "default" {
			t.Errorf("run %d has %s", b.state.record.Run, got)
		}
	})
}

// A mode that the agent refuses is not kept for the next one either.
func TestRefusedModeIsTakenBack(t *testing.T) {
	wish := func(b *bench, mode string) string {
		b.tell(messages.ChangeSettings{Session: sessionA, Client: "ann", PermissionMode: mode, ConfirmMode: true})
		b.quiet()
		return b.state.agent.modeWish.request
	}
	answered := func(b *bench, request string, ok bool) {
		b.tell(b.out(claude.ControlAnswered{Request: request, OK: ok, Error: "not launched so"}))
		b.quiet()
	}
	b := turning(t)
	answered(b, wish(b, "plan"), true)
	answered(b, wish(b, "dontAsk"), false)
	if got := b.state.record.PermissionMode; got != "plan" {
		t.Errorf("a refusal leaves the mode %s", got)
	}
	first, second := wish(b, "dontAsk"), wish(b, "auto")
	answered(b, first, false)
	if got := b.state.record.PermissionMode; got != "auto" {
		t.Errorf("the refusal of an earlier wish leaves the mode %s", got)
	}
	answered(b, second, false)
	if got := b.state.record.PermissionMode; got != "plan" {
		t.Errorf("two refusals leave the mode %s", got)
	}
	answered(b, second, false)
	if got := b.state.record.PermissionMode; got != "plan" {
		t.Errorf("an answer that comes twice leaves the mode %s", got)
	}
}
