package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

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
	b.crash() // the restarted actor has no decided request in memory
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
