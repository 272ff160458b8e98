package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// audited are the entries since somebody looked, in short.
func (b *bench) audited() string {
	var entries []string
	for _, e := range b.effects {
		if e, ok := e.(auditing); ok {
			words := []string{string(e.entry.Type), e.entry.ActorType, e.entry.ActorID, e.entry.Tool, string(e.entry.Outcome)}
			entries = append(entries, strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "))
		}
	}
	b.quiet()
	return strings.Join(entries, "; ")
}

// What becomes of a request is reported once, before anybody is told.
func TestDecisionsAreAudited(t *testing.T) {
	for decision, want := range map[messages.Decision]string{
		messages.AllowOnce:         "permission_grant user bob Bash success",
		messages.AllowSession:      "permission_grant user bob Bash success",
		messages.Deny:              "permission_deny user bob Bash denied",
		messages.DenyWithInterrupt: "permission_deny user bob Bash denied",
	} {
		b := asking(t)
		b.tell(won(answer("bob", "p1", decision)))
		first := slices.IndexFunc(b.effects, func(e act.Effect) bool { _, ok := e.(auditing); return ok })
		told := slices.IndexFunc(b.effects, func(e act.Effect) bool { _, ok := e.(act.Reply); return ok })
		if first < 0 || told < first {
			t.Errorf("%v: reported at %d, told at %d", decision, first, told)
		} else if e := b.effects[first].(auditing).entry; e.Session != sessionA || e.Context["request_id"] != "p1" || len(e.Input) == 0 {
			t.Errorf("%+v", e)
		}
		if got := b.audited(); got != want {
			t.Errorf("%v: %s", decision, got)
		}
		b.tell(answer("eve", "p1", messages.AllowOnce))
		b.tell(messages.AnswerWritten{Run: 1, Request: "p1"})
		if got := b.audited(); got != "" {
			t.Errorf("%v, later: %s", decision, got)
		}
	}
	b := asking(t)
	b.now = b.now.Add(7 * 24 * time.Hour)
	b.tell(expired("p1"))
	if got := b.audited(); got != "permission_deny daemon deadline Bash timeout" {
		t.Error(got)
	}
}

// A call that the agent refuses by itself is a denial like any other.
func TestDenialOfTheAgentIsAudited(t *testing.T) {
	b := turning(t)
	b.tell(b.out(claude.DeniedByAgent{Tool: "Bash", ToolUse: "t1", Reason: "rule", Message: "Denied by a rule"}))
	if e := last[auditing](b).entry; e.Context["tool_use_id"] != "t1" || e.Context["reason_type"] != "rule" || e.Context["reason"] != "Denied by a rule" {
		t.Errorf("%+v", e)
	}
	if got := b.audited(); got != "permission_deny system agent Bash denied" {
		t.Error(got)
	}
}

// A client that calls itself "rule" is a client.
func TestGrantsAreAudited(t *testing.T) {
	b := asking(t)
	b.tell(won(answer("rule", "p1", messages.AllowSession)))
	b.tell(messages.AnswerWritten{Run: 1, Request: "p1"})
	b.tell(b.out(asks("p2", "Bash")))
	b.tell(messages.SetGrant{Session: sessionA, Client: "ann", Tool: "Edit", Granted: true})
	b.tell(messages.SetGrant{Session: sessionA, Client: "ann", Tool: "Edit"})
	b.tell(b.out(asks("p3", "Edit")))
	b.tell(messages.ClearGrants{Session: sessionA, Client: "ann"})
	want := "permission_grant user rule Bash success; auto_approve_tool_call daemon grant Bash success; permission_grant user ann Edit success; " +
		"permission_revoke user ann Edit success; permission_deny daemon grant Edit denied; permission_revoke user ann success"
	if got := b.audited(); got != want {
		t.Error(got)
	}
}

func TestSessionsAreAudited(t *testing.T) {
	b := newBench(t)
	b.tell(messages.StartSession{Session: sessionA, Client: "ann", WorkingDirectory: "/work"})
	b.tell(messages.StartSession{Session: sessionA, Client: "bob", WorkingDirectory: "/work"})
	if got := b.audited(); got != "session_create user ann success" {
		t.Error(got)
	}
	b = turning(t)
	b.quiet()
	b.tell(b.exit(3))
	b.tell(inTranscript(1, "k1"))
	got := b.audited()
	if !strings.HasPrefix(got, "session_error daemon failure") {
		t.Error(got)
	}
	b.tell(messages.StopSession{Session: sessionA, Client: "bob"})
	b.tell(messages.DeleteSession{Session: sessionA, Client: "eve"})
	if got := b.audited(); got != "session_complete user bob success; session_complete user eve success" {
		t.Error(fmt.Sprint(b.said), got)
	}
}

// The end of a session is whose it is that asked for it; the turn that ends with it is
// another's.
func TestEndOfASessionNamesWhoseTurnItWas(t *testing.T) {
	ends := map[string]func(*bench){
		"stop":   func(b *bench) { b.tell(messages.StopSession{Session: sessionA, Client: "bob"}) },
		"delete": func(b *bench) { b.tell(messages.DeleteSession{Session: sessionA, Client: "bob"}) },
	}
	for how, end := range ends {
		for turn, begin := range map[string]func() *bench{
			"ann": func() *bench {
				b := turning(t)
				b.tell(input("carl", "k9"))
				return b
			},
			"": func() *bench { return remembering(t) },
		} {
			b := begin()
			b.quiet()
			end(b)
			b.tell(b.exit(0))
			i := slices.IndexFunc(b.effects, func(e act.Effect) bool { _, ok := e.(auditing); return ok })
			if i < 0 {
				t.Fatalf("%s with a turn of %q: nothing is audited", how, turn)
			}
			e := b.effects[i].(auditing).entry
			if e.Type != messages.AuditSessionComplete || e.ActorID != "bob" || e.Context["by"] != how || e.Context["turn_of"] != turn {
				t.Errorf("%s with a turn of %q: %+v", how, turn, e)
			}
		}
	}
}
