package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/permission"
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
// written down, shown, told to who asked, and only then to the agent.
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

func TestPermissionExpires(t *testing.T) {
	b := asking(t)
	b.on(expired("p1"), "update p1") // too early: its actor takes it back
	b.now = b.now.Add(7 * 24 * time.Hour)
	b.on(expired("p1"), "all: 8 resolved p1 DENY by deadline, 9 EXECUTING_TOOL", "stop waiting for p1",
		"run 1: answer p1 deny (Permission request expired after 7d. User can retry the operation.)")
	b.on(answer("ann", "p1", messages.AllowOnce), "to ann: applied false, expired by deadline")
	b.on(messages.AnswerWritten{Run: 1, Request: "p1"})
	b.on(answer("ann", "p1", messages.AllowOnce), "to ann: wrong state PERMISSION_STALE")
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

func TestPermissionIsWithdrawn(t *testing.T) {
	const gone = "all: 8 resolved p1 PERMISSION_DECISION_UNSPECIFIED by agent"
	t.Run("by the agent", func(t *testing.T) {
		b := asking(t)
		b.on(b.out(claude.PermissionWithdrawn{Request: "p1"}), gone, "stop waiting for p1")
		b.on(answer("ann", "p1", messages.AllowOnce), "to ann: applied false, withdrawn by agent")
		// An answer that was on its way finds the same.
		b.on(won(answer("ann", "p1", messages.AllowOnce)), "to ann: applied false, withdrawn by agent")
		b.on(b.out(claude.PermissionWithdrawn{Request: "p1"}))
	})
	t.Run("and asked again in one breath", func(t *testing.T) {
		b := asking(t)
		b.on(b.out(claude.PermissionWithdrawn{Request: "p1"}, asks("p1", "Bash")), gone+", 9 request p1", "stop waiting for p1", "wait for p1")
		b.on(answer("ann", "p1", messages.AllowOnce), "forward to p1")
	})
	t.Run("by the end of its tool call", func(t *testing.T) {
		b := turning(t)
		asked := asks("p1", "Bash")
		asked.ToolUse = "call"
		b.tell(b.out(asked))
		b.quiet()
		b.on(b.out(claude.ToolDone{ID: "other"}))
		b.on(b.out(claude.ToolDone{ID: "call", IsError: true}), gone, "stop waiting for p1")
	})
	t.Run("not by what an agent says that is being ended", func(t *testing.T) {
		b := asking(t)
		b.tell(EndAgent{})
		b.quiet()
		b.on(b.out(claude.PermissionWithdrawn{Request: "p1"}))
	})
}

func TestStaleAnswers(t *testing.T) {
	b := asking(t)
	b.on(answer("ann", "nobody", messages.AllowOnce), "to ann: wrong state PERMISSION_STALE")
	b.tell(won(answer("ann", "p1", messages.AllowOnce)))
	b.tell(messages.AnswerWritten{Run: 1, Request: "p1"})
	b.quiet()
	b.crash() // who answered is not remembered for ever
	b.quiet()
	b.on(answer("eve", "p1", messages.Deny), "to eve: wrong state PERMISSION_STALE")
}

// An answer that the agent could not be told is refused before it decides.
func TestImpossibleAnswers(t *testing.T) {
	b := asking(t)
	broken := answer("ann", "p1", messages.AllowWithEdit)
	broken.Updated = []byte(`[1]`)
	b.on(broken, "to ann: invalid")
	b.on(answer("ann", "p1", messages.Undecided), "to ann: invalid")
	b.on(answer("ann", "p1", messages.DecisionWithdrawn), "to ann: invalid")
	b.on(answer("ann", "p1", messages.DecisionAnswered), "to ann: invalid") // it is no question
	b.on(answer("ann", "p1", messages.AllowOnce), "forward to p1")
}

func TestQuestions(t *testing.T) {
	b := turning(t)
	b.on(b.out(questions("q", "Why?", "Who?")), "all: 6 question q/0, 7 question q/1, 8 WAITING_FOR_USER", "wait for q")
	wrong := answer("ann", "q/0", messages.AllowOnce)
	wrong.Answers = map[string]string{"What?": "x", "When?": "y"}
	b.on(wrong, "to ann: invalid")
	one := answer("ann", "q/0", messages.AllowOnce)
	one.Answers = map[string]string{"Why?": "because"}
	b.on(one, "forward to q")
	if m := last2(b, one); m.Decision != messages.DecisionAnswered || m.Request != "q/0" {
		t.Errorf("forwarded as %+v", m)
	}
	both := answer("ann", "q/1", messages.DecisionAnswered)
	both.Answers = map[string]string{"Why?": "because", "Who?": "me"}
	b.on(won(both), "all: 9 resolved q ALLOW_ONCE by ann, 10 EXECUTING_TOOL", "to ann: applied true, answered by ann", "stop waiting for q",
		`run 1: answer q allow {"questions":[{"question":"Why?","options":[{"label":"yes"},{"label":"no"}]},{"question":"Who?","options":[{"label":"yes"},{"label":"no"}]}],"answers":{"Why?":"because","Who?":"me"}}`)
	b.on(answer("eve", "q/0", messages.AllowOnce), "to eve: applied false, answered by ann")
}

// last2 delivers an answer again and returns what is forwarded.
func last2(b *bench, m messages.AnswerPermission) messages.AnswerPermission {
	b.tell(m)
	forwarded := last[sendToPermission](b).message.(messages.AnswerPermission)
	b.quiet()
	return forwarded
}

// A decision survives a crash of ours: the adopted agent is told again, and an
// undecided request waits on with its old deadline.
func TestPermissionsSurviveACrash(t *testing.T) {
	b := asking(t)
	b.tell(b.out(asks("p2", "Read")))
	b.tell(won(answer("ann", "p1", messages.AllowOnce)))
	b.quiet()
	b.now = b.now.Add(time.Hour)
	b.crash()
	b.expect("the crash", "wait for p2", "run 1: look for it at 50", "in 10s session.unwatchedDue")
	if p := b.state.prompts.Get("p2"); !p.ExpiresAt.Equal(dawn.Add(7 * 24 * time.Hour)) {
		t.Errorf("%+v", p)
	}
	b.on(won(answer("ann", "p2", messages.AllowOnce)), "all: 10 resolved p2 ALLOW_ONCE by ann, 11 EXECUTING_TOOL",
		"to ann: applied true, allowed by ann", "stop waiting for p2")
	b.on(b.adopted(), "all: 12 run 1 adopted", "run 1: answer p1 allow", "run 1: answer p2 allow", "run 1: barrier")
}

// The id of a request is the key of a record: the agent cannot make it too long.
func TestRequestWithAnEndlessName(t *testing.T) {
	b := turning(t)
	name := make([]byte, 100_000)
	for i := range name {
		name[i] = 'x'
	}
	b.on(b.out(asks(string(name), "Bash")), "all: 6 notice PERMISSION_MALFORMED", "run 1: control error", "log: refused since the request id is too long")
}

// A request that names no tool is put before nobody, and no grant decides it.
func TestRequestWithoutATool(t *testing.T) {
	b := turning(t)
	for n, tool := range []string{"", " \t"} {
		b.on(b.out(asks("p1", tool)), fmt.Sprintf("all: %d notice PERMISSION_MALFORMED", 6+n), "run 1: control error", "log: refused since the request names no tool")
	}
}

// An agent that asks without end is refused, and asks again when something is decided.
func TestRequestsHaveABound(t *testing.T) {
	b := turning(t)
	for n := range maxRequests {
		b.tell(b.out(asks(fmt.Sprint("r", n), "Bash")))
	}
	b.quiet()
	b.tell(b.out(asks("more", "Bash")))
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "control error") || !strings.Contains(said, "100 requests of this session wait") {
		t.Errorf("said:\n%s", said)
	}
	if _, known := b.state.prompts.Find("more"); known || b.state.prompts.Len() != maxRequests || !b.noticed("PERMISSIONS_FULL") {
		t.Errorf("%d requests wait", b.state.prompts.Len())
	}
	b.tell(won(answer("ann", "r0", messages.AllowOnce)))
	b.quiet()
	b.tell(b.out(asks("again", "Bash")))
	if _, known := b.state.prompts.Find("again"); !known {
		t.Error("nothing is taken any more")
	}
}

// The denial names the patience that was configured, however often it began anew;
// and not every sign of a client is a write.
func TestActivityExtendsRequests(t *testing.T) {
	b := asking(t)
	b.tell(b.out(asks("p2", "Read")))
	b.quiet()
	b.now = dawn.Add(time.Minute - time.Second)
	b.on(take("ann"), "to ann: lock granted true, holder \"ann\"")
	b.now = dawn.Add(3 * 24 * time.Hour)
	b.on(answer("bob", "p2", messages.AllowOnce), "update p1", "all: notice PERMISSION_EXTENDED", "forward to p2") // not the one that is answered
	b.on(take("ann"), "update p2", "all: notice PERMISSION_EXTENDED", "to ann: lock granted true, holder \"ann\"")
	b.on(take("ann"), "to ann: lock granted true, holder \"ann\"")
	p := b.state.prompts.Get("p1")
	if p.ExtensionCount != 1 || !p.LastExtendedAt.Equal(b.now) || !p.ExpiresAt.Equal(b.now.Add(7*24*time.Hour)) || !p.ReceivedAt.Equal(dawn) {
		t.Errorf("%+v", p)
	}
	b.now = dawn.Add(10 * 24 * time.Hour)
	b.on(take("ann"), "to ann: lock granted true, holder \"ann\"") // too late
	b.tell(expired("p1"))
	if line := string(last[sendToRun](b).message.(run.WriteAnswer).Line); !strings.Contains(line, "Permission request expired after 7d. User can retry the operation.") {
		t.Errorf("the agent is told %s", line)
	}
}

// Whatever a client of the session does gives what waits its whole time again.
func TestSignsOfAClient(t *testing.T) {
	for name, sign := range map[string]any{
		"it reconnects":                attach("ann", "again"),
		"a message":                    input("ann", "k2"),
		"an answer to another request": answer("ann", "p2", messages.AllowOnce),
		"a cancellation":               cancel("ann"),
	} {
		b := asking(t)
		b.tell(b.out(asks("p2", "Read")))
		b.now = dawn.Add(6 * 24 * time.Hour)
		b.tell(sign)
		if p := b.state.prompts.Get("p1"); p.ExtensionCount != 1 || !p.ExpiresAt.Equal(b.now.Add(7*24*time.Hour)) {
			t.Errorf("%s: %+v", name, p)
		}
		b.tell(expired("p1"))
		if p := b.state.prompts.Get("p1"); p.Decision != messages.Undecided {
			t.Errorf("%s: it has expired: %+v", name, p)
		}
		b.now = b.now.Add(7 * 24 * time.Hour)
		b.quiet()
		b.tell(expired("p1"))
		if p := b.state.prompts.Get("p1"); p.Decision != messages.DecisionExpired {
			t.Errorf("%s: it never expires: %+v", name, p)
		}
	}
}

// Reminders are told once, and to a person who does not watch as well.
func TestReminders(t *testing.T) {
	b := asking(t)
	b.now = dawn.Add(time.Hour)
	b.on(permission.ReminderDue{Request: "p1", Number: 1}, "all: 8 notice PERMISSION_REMINDER", "notify PERMISSION_REMINDER")
	b.on(permission.ReminderDue{Request: "p1", Number: 1})
	if e := b.notified(permission.ReminderDue{Request: "p1", Number: 2}); e.Details["request_id"] != "p1" || e.Details["tool"] != "Bash" || e.Details["age"] != "1h" || e.Session != sessionA {
		t.Errorf("%+v", e)
	}
	b.crash()
	b.quiet()
	b.on(permission.ReminderDue{Request: "p1", Number: 2})
	b.tell(won(answer("ann", "p1", messages.AllowOnce)))
	b.quiet()
	b.on(permission.ReminderDue{Request: "p1", Number: 2})
	b.on(permission.ReminderDue{Request: "nobody", Number: 1})
}

// notified delivers a message and returns what a person is told about it.
func (b *bench) notified(m any) Notice {
	b.t.Helper()
	b.tell(m)
	e := last[notifyPerson](b).event
	b.quiet()
	return e
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
