package session

import (
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/recall"
	"betcode/messages"
)

// fork is where a session of the tests was forked from.
var fork = messages.Fork{
	Session: "22222222-2222-4222-8222-222222222222", Seq: 7, CostUSD: 0.25,
	AgentSession: "33333333-3333-4333-8333-333333333333", Message: "44444444-4444-4444-8444-444444444444",
}

// forked is a bench whose session is a fork, with a first message whose run is intended.
func forked(t *testing.T) *bench {
	b := newBench(t)
	begin := start("ann")
	begin.Fork = fork
	b.tell(begin)
	b.tell(input("ann", "k1"))
	b.quiet()
	return b
}

// begins is the part of a command line that makes the fork, empty if it does not.
func begins(r messages.RunRecord) []string {
	at := slices.Index(r.Argv, "--resume")
	if at < 0 || !slices.Contains(r.Argv, "--fork-session") {
		return nil
	}
	return r.Argv[at : at+7]
}

var makesFork = []string{
	"--resume", fork.AgentSession, "--fork-session", "--session-id", string(sessionA), "--resume-session-at", fork.Message,
}

// The first run makes the fork. When it has, the next run resumes the session's own
// conversation.
func TestForkIsMadeOnce(t *testing.T) {
	b := forked(t)
	if got := begins(*b.state.run); !slices.Equal(got, makesFork) || !b.state.forks() {
		t.Fatalf("the first run: %q, forks: %t", b.state.run.Argv, b.state.forks())
	}
	b.tell(b.up())
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(took("k1")...))
	b.tell(b.out(finished("k1")))
	b.tell(b.exit(137))
	b.tell(input("ann", "k2"))
	b.now = b.now.Add(time.Minute)
	b.tell(restartDue{1})
	r := *b.state.run
	if at := slices.Index(r.Argv, "--resume"); r.Run != 2 || !r.Resumed || begins(r) != nil || at < 0 || r.Argv[at+1] != string(sessionA) || b.state.forks() {
		t.Errorf("the second run: %d %q, forks: %t", r.Run, r.Argv, b.state.forks())
	}
}

// A daemon that dies between the commit of the first run and its spawn leaves one session:
// the next one looks for that very run, with the command line that makes the fork. When
// there is neither a process nor a conversation, the fork is made again under the same id,
// and a repeated request finds the session as it is.
func TestForkAndTheEndOfTheDaemon(t *testing.T) {
	b := forked(t)
	intended := *b.state.run
	b.crash()
	spawn := last[spawnRun](b)
	if spawn.fresh || spawn.record.Run != 1 || spawn.record.Token != intended.Token || !slices.Equal(spawn.record.Argv, intended.Argv) {
		t.Errorf("the next daemon looks for %+v, not for %+v", spawn, intended)
	}
	b.tell(messages.RunEnded{Run: 1, Exit: messages.Exit{Known: true, Reason: run.NeverStarted, At: b.now}})
	if r := *b.state.run; r.Run != 2 || !r.Resumed || begins(r) != nil {
		t.Fatalf("the run after the one that was never started: %d %q", r.Run, r.Argv) // the fork may have been made
	}
	b.tell(b.of("2.1.330"))
	b.tell(b.out(claude.TurnEnded{MemoryGone: true, IsError: true}))
	b.tell(b.exit(1))
	if r := *b.state.run; r.Run != 3 || !slices.Equal(begins(r), makesFork) || !b.state.forks() || !b.state.active() {
		t.Errorf("the run after the one that found no conversation: %d %q", r.Run, r.Argv)
	}
	if len(b.state.inputs) != 1 || b.state.inputs[0].Key != "k1" {
		t.Errorf("the message: %+v", b.state.inputs)
	}
	b.quiet()
	again := start("ann")
	again.Fork = fork
	head := b.state.record.Head
	b.tell(again)
	if b.state.record.Head != head || b.state.record.Run != 3 || b.state.record.Fork != fork {
		t.Errorf("a repeated request changes the session: %+v", b.state.record)
	}
}

// An origin whose transcript is gone cannot be forked any more. The session says so and
// waits for a person; it is not begun without the conversation.
func TestForkOfAConversationThatIsGone(t *testing.T) {
	said := "No conversation found with session ID: " + fork.AgentSession
	for name, end := range map[string]func(*bench){
		"in a result": func(b *bench) {
			b.tell(b.out(claude.TurnEnded{MemoryGone: true, IsError: true}))
			b.tell(b.exit(1))
		},
		"on standard error only": func(b *bench) {
			ended := b.exit(1)
			ended.Complaint = said
			b.tell(ended)
		},
	} {
		b := forked(t)
		b.tell(b.up())
		end(b)
		b.tell(recall.Answer{Run: 1, Known: map[string]bool{}})
		r := b.state.record
		if r.Condition != messages.MemoryGone && r.Condition != messages.ConversationDeleted || r.Phase != messages.PhaseCrashed || b.state.active() || r.Run != 1 {
			t.Errorf("%s: condition %q, phase %v, run %d, said %v", name, r.Condition, r.Phase, r.Run, b.quiet())
		}
		b.crash()
		if b.state.active() || b.state.record.Run != 1 {
			t.Errorf("%s: the next daemon starts it again", name)
		}
	}
}
