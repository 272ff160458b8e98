package session

import (
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/messages"
)

// asking is a session in its first turn that waits for a decision about p1.
func asking(t tester) *bench {
	b := turning(t)
	b.tell(b.out(asks("p1", "Bash")))
	b.quiet()
	return b
}

func TestPermissionIsAskedFor(t *testing.T) {
	b := turning(t)
	b.on(b.out(asks("p1", "Bash")), "all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1")
	p := b.state.prompts.Get("p1")
	if p.Seq != 6 || p.Run != 1 || !p.ExpiresAt.Equal(dawn.Add(7*24*time.Hour)) || p.Decision != messages.Undecided {
		t.Errorf("%+v", p)
	}
	b.on(b.out(claude.StatusHint{Status: 2})) // a person is waited for, whatever the agent does besides
	b.on(b.out(asks("p1", "Bash")))           // told twice
	if got := b.state.progress(); got != messages.Awaiting {
		t.Errorf("a turn that waits for a person: progress %v", got)
	}
}

// The first answer goes to the request's actor and comes back; its outcome is
// written down, shown, returned to the client that answered, and only then sent to the agent.
func TestPermissionIsDecided(t *testing.T) {
	edited := answer("bob", "p1", messages.AllowWithEdit)
	edited.Updated = []byte(`{"command":"ls -l"}`)
	refused := answer("bob", "p1", messages.Deny)
	refused.Message = "not now"
	for _, c := range []struct {
		name   string
		answer messages.AnswerPermission
		event  string
		reply  string
		line   string
	}{
		{"allowed", answer("bob", "p1", messages.AllowOnce), "ALLOW_ONCE", "allowed", "allow"},
		{"allowed for good", answer("bob", "p1", messages.AllowSession), "ALLOW_SESSION", "allowed for good", "allow"},
		{"allowed with an edit", edited, "ALLOW_WITH_EDIT", "allowed with an edit", `allow {"command":"ls -l"}`},
		{"denied", answer("bob", "p1", messages.Deny), "DENY", "denied", "deny (User denied permission.)"},
		{"denied with words", refused, "DENY", "denied", "deny (not now)"},
		{"denied softly", answer("bob", "p1", messages.DenyNoInterrupt), "DENY_NO_INTERRUPT", "denied softly", "deny (User denied permission.)"},
		{"denied and interrupted", answer("bob", "p1", messages.DenyWithInterrupt), "DENY_WITH_INTERRUPT", "denied and interrupted", "deny (The user denied this tool call.) and interrupt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := asking(t)
			b.on(c.answer, "forward to p1")
			b.on(won(c.answer),
				"all: 8 resolved p1 "+c.event+" by bob, 9 EXECUTING_TOOL",
				"to bob: applied true, "+c.reply+" by bob", "stop waiting for p1", "run 1: answer p1 "+c.line)
			b.on(answer("eve", "p1", messages.AllowOnce), "to eve: applied false, "+c.reply+" by bob")
			b.on(messages.AnswerWritten{Run: 1, Request: "p1"})
			if b.state.prompts.Len() != 0 {
				t.Errorf("%+v", b.state.prompts)
			}
			b.on(answer("eve", "p1", messages.AllowOnce), "to eve: applied false, "+c.reply+" by bob")
		})
	}
}

// The second caller learns of the first answer when that is on disk, and not before: a
// daemon that is killed in between would let somebody else be the first.
func TestSecondAnswerWaitsForTheFirst(t *testing.T) {
	b := asking(t)
	b.manual = true
	b.on(won(answer("bob", "p1", messages.AllowOnce)))
	b.on(won(answer("eve", "p1", messages.Deny)))
	b.on(answer("ann", "p1", messages.Deny))
	b.commit()
	b.expect("on disk",
		"all: 8 resolved p1 ALLOW_ONCE by bob, 9 EXECUTING_TOOL", "to bob: applied true, allowed by bob", "stop waiting for p1",
		"run 1: answer p1 allow", "to eve: applied false, allowed by bob", "to ann: applied false, allowed by bob")
}

// A grant decides at once, without an event; a question always needs a person.
func TestGrants(t *testing.T) {
	b := asking(t)
	b.tell(won(answer("bob", "p1", messages.AllowSession)))
	b.tell(messages.AnswerWritten{Run: 1, Request: "p1"})
	b.quiet()
	b.on(b.out(asks("p2", "Bash")), "run 1: answer p2 allow")
	b.on(messages.AnswerWritten{Run: 1, Request: "p2"})
	b.on(b.out(asks("p3", "Write")), "all: 10 request p3, 11 WAITING_FOR_USER", "wait for p3")
	b.on(messages.SetGrant{Session: sessionA, Tool: "Edit", Granted: false}, "to op: done")
	b.on(b.out(asks("p4", "Edit")), "run 1: answer p4 deny (The user has forbidden the tool Edit for this session.)")
	b.on(messages.ClearGrants{Session: sessionA, Tool: "Edit"}, "to op: done")
	b.on(messages.ClearGrants{Session: sessionA, Tool: "none"}, "to op: done")
	b.on(b.out(asks("p5", "Edit")), "all: 12 request p5", "wait for p5")
	b.on(messages.ClearGrants{Session: sessionA}, "to op: done")
	b.on(b.out(asks("p6", "Bash")), "all: 13 request p6", "wait for p6")
	b.tell(messages.SetGrant{Session: sessionA, Tool: "AskUserQuestion", Granted: true})
	b.quiet()
	b.on(b.out(questions("q", "Sure?")), "all: 14 question q/0", "wait for q")
}

// Two requests at a time: the status changes with the last one.
func TestTwoPermissionsAtOnce(t *testing.T) {
	b := asking(t)
	b.on(b.out(asks("p2", "Read")), "all: 8 request p2", "wait for p2")
	b.on(won(answer("ann", "p2", messages.AllowOnce)), "all: 9 resolved p2 ALLOW_ONCE by ann",
		"to ann: applied true, allowed by ann", "stop waiting for p2", "run 1: answer p2 allow")
	b.on(won(answer("ann", "p1", messages.AllowOnce)), "all: 10 resolved p1 ALLOW_ONCE by ann, 11 EXECUTING_TOOL",
		"to ann: applied true, allowed by ann", "stop waiting for p1", "run 1: answer p1 allow")
}

// What the agent has suggested holds from now on if the answer says so, also when the
// answer is kept for an agent that asks again.
func TestSuggestionsAreApplied(t *testing.T) {
	suggesting := func(id string) claude.PermissionAsked {
		m := asks(id, "Bash")
		m.Suggestions = []byte(`[{"type":"addRules"},{"type":"setMode","mode":"plan"}]`)
		return m
	}
	chosen := func(decision messages.Decision, n ...uint32) messages.AnswerPermission {
		a := answer("ann", "p1", decision)
		a.Suggestions = n
		return a
	}
	b := turning(t)
	b.tell(b.out(suggesting("p1")))
	b.quiet()
	b.on(chosen(messages.AllowOnce, 2), "to ann: invalid")
	b.on(chosen(messages.Deny, 0), "to ann: invalid")
	b.on(chosen(messages.AllowOnce, 1), "forward to p1")
	b.tell(won(chosen(messages.AllowOnce, 1)))
	b.toldOf(`"updatedPermissions":[{"type":"setMode","mode":"plan"}]`)

	b = turning(t)
	b.tell(b.out(suggesting("p1")))
	b.tell(b.exit(137))
	b.resumed()
	b.tell(won(chosen(messages.AllowOnce, 1)))
	b.crash()
	b.tell(b.adopted())
	b.tell(b.out(asks("r1", "Bash"))) // it may suggest something else now
	b.toldOf(`"updatedPermissions":[{"type":"setMode","mode":"plan"}]`)
}

// toldOf checks that an answer with these words is on its way to the agent.
func (b *bench) toldOf(words string) {
	b.t.Helper()
	for _, e := range b.effects {
		told, _ := e.(sendToRun)
		if m, ok := told.message.(run.WriteAnswer); ok && strings.Contains(string(m.Line), words) {
			return
		}
	}
	b.t.Fatalf("the agent is not told of %s:\n%s", words, strings.Join(b.said, "\n"))
}
