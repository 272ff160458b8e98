package session

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/permission"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// orphaned is a session whose agent died while p1 was asked; the resumed one is up.
func orphaned(t tester) *bench {
	b := asking(t)
	b.tell(b.exit(137))
	b.resumed()
	return b
}

// resumed lets the next run come up, in the turn that was cut off.
func (b *bench) resumed() {
	b.t.Helper()
	b.tell(inTranscript(b.state.record.Run, "k1"))
	b.tell(restartDue{b.state.record.Run})
	b.tell(b.up())
	b.tell(b.out(begun()))
	b.quiet()
}

// The prompt outlives the process that asked, and so does an answer.
func TestRequestOutlivesItsProcess(t *testing.T) {
	b := asking(t)
	b.tell(b.out(asks("p2", "Read")))
	b.tell(won(answer("ann", "p2", messages.AllowOnce))) // decided, but the agent will never hear it
	b.quiet()
	b.on(b.exit(137), "all: 10 run 1 exited, 11 notice PERMISSION_KEPT, 12 notice PERMISSION_KEPT",
		"drop run 1", "update p1", "wait for p2", "look for k1 in the transcript")
	b.crash() // and so do both when the daemon dies now
	b.expect("the next daemon", "wait for p1", "wait for p2", "look for k1 in the transcript", "in 10s session.unwatchedDue")
	b.resumed()
	if !b.state.prompts.Get("p1").Orphaned() || b.state.prompts.AgentWaits() {
		t.Error("the resumed agent does not wait for a person")
	}
	if prompts := b.state.replayPrompts(b.env()); len(prompts) != 1 {
		t.Errorf("a new client is asked %d times", len(prompts))
	}
	head := b.state.record.Head
	b.on(b.out(asks("r2", "Read")), "all: "+fmt.Sprint(head+1)+" notice PERMISSION_ANSWER_USED", "stop waiting for p2", "run 2: answer r2 allow")
	b.on(messages.AnswerWritten{Run: 2, Request: "r2"})
	b.on(b.out(asks("r3", "Read")), "all: "+fmt.Sprint(head+2)+" request r3, "+fmt.Sprint(head+3)+" WAITING_FOR_USER", "wait for r3") // once is once
}

func TestAnswerToAnOrphanIsKept(t *testing.T) {
	edited := answer("bob", "p1", messages.AllowWithEdit)
	edited.Updated = []byte(`{"command":"ls -l"}`)
	refused := answer("bob", "p1", messages.DenyWithInterrupt)
	for _, c := range []struct {
		name   string
		answer messages.AnswerPermission
		event  string
		word   string
		line   string
	}{
		{"allowed", answer("bob", "p1", messages.AllowOnce), "ALLOW_ONCE", "allowed", "allow"},
		{"edited", edited, "ALLOW_WITH_EDIT", "allowed with an edit", `allow {"command":"ls -l"}`},
		{"denied", answer("bob", "p1", messages.DenyNoInterrupt), "DENY_NO_INTERRUPT", "denied softly", "deny (User denied permission.)"},
		{"interrupted", refused, "DENY_WITH_INTERRUPT", "denied and interrupted", "deny (The user denied this tool call.) and interrupt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := orphaned(t)
			b.on(c.answer, "forward to p1")
			b.on(won(c.answer), "all: 13 resolved p1 "+c.event+" by bob", "to bob: applied true, "+c.word+" by bob", "update p1")
			b.on(answer("eve", "p1", messages.AllowOnce), "to eve: applied false, "+c.word+" by bob")
			b.crash()
			b.expect("the next daemon", "wait for p1", "run 2: look for it at 10")
			b.tell(b.adopted())
			b.quiet()
			other := asks("x1", "Bash")
			other.Input = []byte(`{"command":"rm"}`)
			b.on(b.out(other), "all: 15 request x1, 16 WAITING_FOR_USER", "wait for x1")
			again := asks("r1", "Bash")
			again.Input = []byte("{ \"command\" : \"l\\u0073\" }")
			if c.name == "edited" { // the disk is looked at for its sake
				b.on(b.out(again), "look around for r1")
				b.on(lookedAround{request: "r1", directory: &rules.Set{}}, "all: 17 notice PERMISSION_ANSWER_USED", "stop waiting for p1", "run 2: answer r1 "+c.line)
			} else {
				b.on(b.out(again), "all: 17 notice PERMISSION_ANSWER_USED", "stop waiting for p1", "run 2: answer r1 "+c.line)
			}
			b.on(answer("eve", "p1", messages.AllowOnce), "to eve: applied false, "+c.word+" by bob")
			b.on(messages.AnswerWritten{Run: 2, Request: "r1"})
			b.on(answer("eve", "p1", messages.AllowOnce), "to eve: applied false, "+c.word+" by bob")
			if b.state.prompts.Len() != 1 {
				t.Errorf("%+v", b.state.prompts)
			}
		})
	}
}

// A grant that is given to an orphan is kept as what it is.
func TestGrantToAnOrphan(t *testing.T) {
	b := orphaned(t)
	b.on(won(answer("bob", "p1", messages.AllowSession)), "all: 13 resolved p1 ALLOW_SESSION by bob",
		"to bob: applied true, allowed for good by bob", "stop waiting for p1")
	b.on(b.out(asks("r1", "Bash")), "run 2: answer r1 allow")

	b = orphaned(t)
	b.on(messages.SetGrant{Session: sessionA, Tool: "Bash", Granted: true}, "to op: done")
	b.on(b.out(asks("r1", "Bash")), "all: 13 resolved p1 PERMISSION_DECISION_UNSPECIFIED by grant", "stop waiting for p1", "run 2: answer r1 allow")
}

// A prompt that is asked again before the answer takes the place of the old one:
// the same record, with its deadline; an answer to the old id counts for it.
func TestAskedAgainBeforeTheAnswer(t *testing.T) {
	b := orphaned(t)
	b.now = b.now.Add(time.Hour)
	b.on(b.out(asks("r1", "Bash")), "all: 13 r1 takes the place of p1, 14 request r1, 15 WAITING_FOR_USER", "stop waiting for p1", "wait for r1")
	p := b.state.prompts.Get("r1")
	if !p.ReceivedAt.Equal(dawn) || !p.ExpiresAt.Equal(dawn.Add(7*24*time.Hour)) || p.Run != 2 || p.Orphaned() ||
		!slices.Equal(p.Formerly, []messages.RequestID{"p1"}) {
		t.Errorf("%+v", p)
	}
	b.tell(b.exit(137)) // and once more
	b.resumed()
	b.tell(b.out(asks("s1", "Bash")))
	b.quiet()
	b.on(answer("ann", "p1", messages.AllowOnce), "forward to s1")
	forwarded := messages.AnswerPermission{Session: sessionA, Client: "ann", Request: "s1", Decision: messages.AllowOnce}
	b.tell(won(forwarded))
	b.quiet()
	for _, id := range []messages.RequestID{"p1", "r1", "s1"} {
		b.on(answer("eve", id, messages.Deny), "to eve: applied false, allowed by ann")
		if seq := b.journal.Keys[requests.DecisionKey(id)]; seq != b.state.record.Head {
			t.Errorf("the decision about %s is noted at %d", id, seq)
		}
	}
}

func TestQuestionAskedAgain(t *testing.T) {
	b := turning(t)
	b.tell(b.out(questions("q", "Why?", "Who?")))
	b.tell(b.exit(137))
	b.resumed()
	b.tell(b.out(questions("r", "Why?", "Who?")))
	b.quiet()
	one := answer("ann", "q/1", messages.AllowOnce)
	one.Answers = map[string]string{"Who?": "me"}
	if m := last2(b, one); m.Request != "r/1" {
		t.Errorf("forwarded as %+v", m)
	}
}

// Nobody is to ask again: nothing is kept.
func TestOrphansAreWithdrawn(t *testing.T) {
	gone := "resolved p1 PERMISSION_DECISION_UNSPECIFIED by "
	b := asking(t)
	b.tell(messages.StopSession{Session: sessionA})
	b.quiet()
	b.on(b.exit(0), "all: 8 run 1 exited, 9 "+gone+"stop, 10 notice INPUT_DROPPED, 11 turn cancelled, 12 IDLE",
		"drop run 1", "stop waiting for p1", "to op: stopped, was running true", "retire")

	b = orphaned(t)
	b.on(cancel("ann"), "all: 13 "+gone+"cancel", "stop waiting for p1", "run 2: interrupt", "to ann: canceling, active true")
	b.on(answer("eve", "p1", messages.Deny), "to eve: applied false, withdrawn by cancel")

	b = orphaned(t)
	b.tell(b.out(finished(), claude.TurnEnded{MemoryGone: true}))
	b.tell(b.exit(1))
	if b.state.prompts.Len() != 0 {
		t.Errorf("%+v", b.state.prompts)
	}
}

// An answer that may have reached the agent before both it and the daemon died
// is not used a second time; a denial does no harm.
func TestAnswerInDoubt(t *testing.T) {
	for decision, want := range map[messages.Decision]int{messages.AllowOnce: 0, messages.Deny: 1} {
		b := asking(t)
		b.tell(won(answer("ann", "p1", decision)))
		b.crash()
		b.tell(b.exit(137))
		if got := b.state.prompts.Len(); got != want {
			t.Errorf("decision %d: %d are kept, want %d", decision, got, want)
		}
		b = asking(t)
		b.tell(won(answer("ann", "p1", decision)))
		b.tell(b.exit(137))
		b.tell(messages.AnswerWritten{Run: 1, Request: "p1"}) // it was in the pipe
		if b.state.prompts.Len() != 0 {
			t.Errorf("decision %d: %+v", decision, b.state.prompts)
		}
	}
}

// Undecided or decided, an orphan ends with its TTL.
func TestOrphansExpire(t *testing.T) {
	b := orphaned(t)
	b.now = dawn.Add(7 * 24 * time.Hour)
	b.on(b.out(asks("r1", "Bash")), "all: 13 request r1, 14 WAITING_FOR_USER", "wait for r1") // too late for p1
	b.on(expired("p1"), "all: 15 resolved p1 DENY by deadline", "stop waiting for p1")
	b.on(answer("ann", "p1", messages.AllowOnce), "to ann: wrong state PERMISSION_STALE")

	b = orphaned(t)
	b.tell(won(answer("ann", "p1", messages.AllowOnce)))
	b.quiet()
	b.on(permission.AnswerExpired{Request: "p1"})
	b.now = dawn.Add(7 * 24 * time.Hour)
	b.on(b.out(asks("r1", "Bash")), "all: 14 request r1, 15 WAITING_FOR_USER", "wait for r1")
	b.on(permission.AnswerExpired{Request: "p1"}, "all: 16 notice PERMISSION_ANSWER_EXPIRED", "stop waiting for p1")
	b.on(permission.AnswerExpired{Request: "p1"})
}

// A session whose agent is gone stays until what it keeps is over.
func TestSessionWaitsForItsOrphans(t *testing.T) {
	b := orphaned(t)
	b.tell(b.out(finished("k1")))
	b.quiet()
	b.tell(b.exit(0))
	b.quiet()
	if b.state.idle() {
		t.Fatal("it would go")
	}
	b.now = dawn.Add(7 * 24 * time.Hour)
	b.tell(expired("p1"))
	if said := b.quiet(); !slices.Contains(said, "retire") || !b.state.idle() {
		t.Errorf("%v", said)
	}
}

func TestSameJSON(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, ` {"b":[true,null], "a":1}`, true},
		{`{"a":"x"}`, `{"a":"\u0078"}`, true},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":1}`, `{"a":1} {}`, false},
		{`{`, `{`, true},
		{`{`, `{ `, false},
		{``, `null`, false},
	} {
		if got := prompts.SameJSON([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
