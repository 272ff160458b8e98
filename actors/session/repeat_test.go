package session

import (
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/repeat"
	"betcode/messages"
)

// prompt returns the key of prompt n of the message k1.
func prompt(n uint32) string { return repeat.Key(messages.Repetition{Key: "k1", Sent: n}) }

// repeated is k1, to be sent at most so many times.
func repeated(most uint32) messages.SendInput {
	m := input("ann", "k1")
	m.Repeat = &messages.Repeat{Max: most}
	return m
}

// saying is the end of a turn with a text.
func saying(text string, keys ...string) claude.Item {
	return claude.TurnEnded{Inputs: keys, StopReason: "end_turn", Text: text}
}

// repeating is a bench whose agent works on the first prompt of three.
func repeating(t tester) *bench {
	b := newBench(t)
	b.tell(start("ann"))
	b.quiet()
	b.on(repeated(3), `all: lock "ann"`, "all: 2 repeat 1/3 prompted, 3 input k1", "to ann: input k1 is 3", "run 1: start with --session-id")
	b.tell(b.up())
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(took("k1")...))
	b.quiet()
	return b
}

// work lets the agent take prompt n and answer it.
func (b *bench) work(n uint32, text string) {
	b.t.Helper()
	b.tell(messages.InputWrittenTo{Run: b.state.record.Run, Key: prompt(n)})
	b.tell(b.out(took(prompt(n))...))
	b.quiet()
	b.tell(b.out(saying(text, prompt(n))))
}

func TestMessageIsRepeatedUntilDone(t *testing.T) {
	b := repeating(t)
	if in := b.state.inputs[0]; !strings.HasPrefix(in.Content, "do k1\n\n") || !strings.HasSuffix(in.Content, "respond only with DONE.") {
		t.Errorf("the first prompt is %q", in.Content)
	}
	first := b.state.inputs[0].Content
	b.on(b.out(saying("Not done yet", "k1")),
		"all: 7 repeat 2/3 prompted, 8 input "+prompt(2)+", 9 THINKING", "run 1: write "+prompt(2))
	if in := b.state.inputs[0]; in.Content != first || in.Client != "ann" {
		t.Errorf("the second prompt is %+v", in)
	}
	if b.state.record.Phase != messages.PhaseActive || b.state.progress() != messages.Working {
		t.Errorf("between prompts: %v", b.state.record.Phase)
	}
	b.work(2, "done.")
	b.expect("the marker", "all: 10 repeat 2/3 complete, 11 IDLE")
	if b.state.record.Repetition.Active() || b.state.busy() {
		t.Errorf("%+v", b.state.record.Repetition)
	}
	b.on(repeated(3), "to ann: input k1 is 3") // the client sends it again
}

func TestRepetitionEnds(t *testing.T) {
	for name, c := range map[string]struct {
		m    func(b *bench) any
		want string
	}{
		"a failed turn": {func(b *bench) any {
			return b.out(claude.TurnEnded{Inputs: []string{"k1"}, IsError: true, Error: "no credit"})
		}, "failed: no credit"},
		"an aborted turn": {func(b *bench) any { return b.out(aborted("k1")) }, "cancelled: the turn was cancelled"},
		"cancel":          {func(*bench) any { return cancel("ann") }, "cancelled: the turn was cancelled by ann"},
		"stop":            {func(*bench) any { return messages.StopSession{Session: sessionA} }, "cancelled: the session was stopped"},
		"stop repeat":     {func(*bench) any { return messages.StopRepeat{Session: sessionA, Client: "bob"} }, "cancelled: ended by bob"},
	} {
		b := repeating(t)
		b.tell(c.m(b))
		if all := strings.Join(b.quiet(), "\n"); !strings.Contains(all, "repeat 1/3 "+c.want) || b.state.record.Repetition.Active() {
			t.Errorf("%s: %s", name, all)
		}
		if name == "cancel" || name == "stop repeat" {
			b.tell(b.out(saying("more", "k1")))
			if all := strings.Join(b.quiet(), "\n"); strings.Contains(all, "repeat") || b.state.busy() {
				t.Errorf("%s, then the turn ends: %s", name, all)
			}
		}
	}
	b := repeating(t)
	b.tell(b.out(saying("more", "k1")))
	b.work(2, "more")
	b.work(3, "more")
	if all := strings.Join(b.quiet(), "\n"); !strings.Contains(all, "repeat 3/3 exhausted") || b.state.busy() {
		t.Errorf("the limit: %s", all)
	}
	b.on(messages.StopRepeat{Session: sessionA}, "to op: repeat stopped false")
}

// A message of a person between prompts is no prompt, and its answer ends nothing.
func TestMessageBetweenPrompts(t *testing.T) {
	b := repeating(t)
	b.tell(input("ann", "k2"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k2"})
	b.tell(b.out(saying("more", "k1")))
	b.tell(b.out(took("k2")...))
	b.tell(b.out(saying("DONE", "k2")))
	if r := b.state.record.Repetition; r.Sent != 2 || len(b.state.inputs) != 1 {
		t.Fatalf("%+v, inputs %v", r, b.state.inputs)
	}
	b.work(2, "DONE")
	if b.state.record.Repetition.Active() {
		t.Error("it goes on")
	}
}

func TestOneMessageIsRepeatedAtATime(t *testing.T) {
	b := repeating(t)
	other := repeated(2)
	other.Key = "k2"
	b.on(other, "to ann: wrong state")
	other.Repeat.Max = 51
	b.on(other, "to ann: invalid")
	b.on(repeated(3), "to ann: input k1 is 3")
}

// Whatever is killed, the repetition goes on, and each prompt is accepted once.
func TestRepetitionSurvives(t *testing.T) {
	b := repeating(t)
	b.crash()
	b.tell(b.adopted())
	b.tell(b.out(saying("more", "k1")))
	if r := b.state.record.Repetition; r.Sent != 2 {
		t.Fatalf("after the actor: %+v", r)
	}
	b.quiet()
	b.crash() // the agent has not got the second prompt
	b.tell(b.exit(137))
	b.tell(inTranscript(b.state.record.Run))
	b.now = b.now.Add(time.Minute)
	b.tell(restartDue{b.state.record.Run})
	b.quiet()
	b.on(b.up(), "all: 13 run 2 started", "run 2: write "+prompt(2))
	b.tell(messages.InputWrittenTo{Run: 2, Key: prompt(2)})
	b.tell(b.out(took(prompt(2))...))
	b.tell(b.exit(137)) // in the turn, with the prompt in the transcript
	b.tell(inTranscript(b.state.record.Run, prompt(2)))
	if r := b.state.record.Repetition; r.Sent != 2 || len(b.state.inputs) != 0 {
		t.Fatalf("the prompt is in the transcript: %+v %v", r, b.state.inputs)
	}
	b.goesOn()
	b.tell(b.out(saying("more")))
	if r := b.state.record.Repetition; r.Sent != 3 || len(b.state.inputs) != 1 {
		t.Fatalf("the turn was continued: %+v %v", r, b.state.inputs)
	}
}

// A prompt at the budget waits as any message does. After a refusal the session does not ask again.
func TestRepetitionWaitsForBudget(t *testing.T) {
	b := repeating(t)
	limit := uint64(1)
	b.tell(messages.SetBudget{Session: sessionA, Client: "ann", Micros: &limit})
	b.quiet()
	b.tell(b.out(claude.TurnEnded{Inputs: []string{"k1"}, StopReason: "end_turn", Text: "more", Usage: claude.Usage{CostUSD: 1}}))
	if r := b.state.record; r.Repetition.Sent != 2 || r.Budget.Held != messages.HeldByBudget || len(b.state.inputs) != 1 || b.state.inputs[0].State != messages.InputAccepted {
		t.Fatalf("%+v %v", r.Repetition, b.state.inputs)
	}
	for _, e := range b.effects {
		if s, ok := e.(sendToRun); ok {
			if _, writes := s.message.(run.WriteInput); writes && s.run == b.state.record.Run && strings.Contains(show(e), prompt(2)) {
				t.Fatal("the prompt is given to the agent")
			}
		}
	}
	b.tell(cancel("ann"))
	if b.state.record.Repetition.Active() || b.state.busy() {
		t.Error("it cannot be canceled")
	}
}
