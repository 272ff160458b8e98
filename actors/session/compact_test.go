package session

import (
	"testing"

	"betcode/actors/client"
	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/messages"
)

// talked is a bench whose session has had two exchanges; its agent rests. Three
// messages of six belong to the second one, which begins behind event 6.
func talked(t tester) *bench {
	b := remembering(t)
	b.tell(input("ann", "k2"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k2"})
	b.tell(b.out(append(took("k2"), wrote("one"), wrote("two"))...))
	b.tell(b.out(claude.TurnEnded{Inputs: []string{"k2"}, StopReason: "end_turn", ContextTokens: 5000}))
	b.quiet()
	return b
}

// wrote is a message of the agent.
func wrote(words string) claude.Item { return claude.AssistantText{Text: words, Message: words} }

func summarized() claude.Item {
	return claude.Compacted{Trigger: "manual", TokensBefore: 5100, TokensAfter: 300}
}

// local is the end of a turn that needed no model.
func local(key string) claude.Item {
	return claude.TurnEnded{Inputs: []string{key}, StopReason: "end_turn", LocalCommand: true, ContextTokens: 300}
}

func TestCompact(t *testing.T) {
	b := talked(t)
	b.on(compact("c1"), "all: 10 COMPACTING, 11 input c1", "run 1: write c1")
	if b.state.record.Phase != messages.PhaseActive {
		t.Errorf("it is %s", b.state.record.Phase)
	}
	b.on(compact("c2")) // waits for the same
	b.on(b.out(heard("c1", claude.Queued), heard("c1", claude.Started)))
	b.on(b.out(claude.StatusHint{Status: 5}, claude.StatusHint{Status: 1}, begun(), summarized(), local("c1")),
		"all: 12 notice HISTORY_COMPACTED, 13 IDLE",
		"to op: compacted true up to 6, 3 messages of 4, 300 tokens of 5100",
		"to op: compacted true up to 6, 3 messages of 4, 300 tokens of 5100")
	b.on(b.out(heard("c1", claude.Completed)))
	b.on(compact("c1"), "to op: compacted true up to 6, 3 messages of 4, 300 tokens of 5100") // the same key, the same answer
	b.on(compact("c3"), "to op: compacted true up to 6, 3 messages of 3, 300 tokens of 300")  // nothing since
	b.crash()
	b.quiet()
	b.on(compact("c1"), "to op: compacted true up to 6, 3 messages of 4, 300 tokens of 5100")
}

// What lies up to the boundary is not replayed: a snapshot stands in its place.
func TestAttachBelowTheBoundary(t *testing.T) {
	b := talked(t)
	b.tell(compact("c1"))
	b.tell(b.out(append(took("c1"), summarized(), local("c1"))...))
	b.quiet()
	for from, want := range map[messages.Seq]messages.Seq{0: 6, 5: 6, 6: 6, 7: 7} {
		a := attach("bob", "b"+string(rune('0'+from)))
		a.History, a.From = messages.HistoryFromSequence, from
		b.tell(a)
		s := last[spawnClient](b).state
		if s.Cursor != want || isCompacted(s.Greeting) != (from < 6) {
			t.Errorf("from %d: begins behind %d, compacted %v", from, s.Cursor, isCompacted(s.Greeting))
		}
	}
}

func isCompacted(greeting []messages.Event) bool {
	return len(client.Compacted(greeting)) == 1 && string(greeting[0].Bytes) == string(client.Compacted(greeting)[0].Bytes)
}

func TestCompactionIsRefused(t *testing.T) {
	for name, make := range map[string]func(tester) *bench{"a turn runs": turning, "a request waits": asking, "a message waits": running} {
		t.Run(name, func(t *testing.T) {
			make(t).on(compact("c1"), "to op: wrong state SESSION_ACTIVE")
		})
	}
	b := newBench(t)
	b.on(compact("c1"), "to op: not found SESSION_NOT_FOUND", "retire")
	b.tell(start("ann"))
	b.quiet()
	b.on(compact("c1"), "to op: compacted true up to 0, 0 messages of 0, 0 tokens of 0")
	b = talked(t)
	again := compact("c0")
	again.Repeated = true // in another life
	b.on(again, "to op: compacted true up to 0, 4 messages of 4, 5000 tokens of 5000")
}

// A message that comes meanwhile is accepted, and given to the agent afterwards;
// it begins an exchange of its own.
func TestInputDuringACompaction(t *testing.T) {
	b := talked(t)
	b.tell(compact("c1"))
	b.quiet()
	b.on(input("ann", "k3"), "all: 12 input k3", "to ann: input k3 is 12")
	b.on(b.out(append(took("c1"), summarized(), local("c1"))...), "all: 13 notice HISTORY_COMPACTED, 14 THINKING",
		"to op: compacted true up to 6, 4 messages of 4, 300 tokens of 5100", "run 1: write k3")
	b.tell(b.out(append(took("k3"), finished("k3"))...))
	if got := b.state.record.Past.Exchange; got != (messages.Place{Seq: 11, Messages: 4}) {
		t.Errorf("the newest exchange begins behind %+v", got)
	}
}

// Without a conversation that an agent knows only our own history is compacted.
func TestCompactWithoutAnAgent(t *testing.T) {
	b := talked(t)
	b.tell(b.exit(0))
	b.state.record.Phase, b.journal.Record.Phase = messages.PhaseCrashed, messages.PhaseCrashed
	b.quiet()
	b.on(compact("c1"), "all: 11 notice HISTORY_COMPACTED", "to op: compacted true up to 6, 3 messages of 4, 0 tokens of 5000")
}

// An agent that was parked is resumed for it, with a place in the pool.
func TestCompactResumesTheAgent(t *testing.T) {
	b := talked(t)
	b.tell(b.exit(0))
	b.quiet()
	b.on(compact("c1"), "all: 11 COMPACTING, 12 input c1", "run 2: start with --resume")
	b = talked(t)
	b.tell(b.exit(0))
	b.manual = true
	b.tell(compact("c1"))
	b.quiet()
	b.on(pool.Answer{Place: pool.Full}, "to op: exhausted POOL_EXHAUSTED", "retire")
}

// A caller that has waited 20 s is told what is expected, and may ask again.
func TestCompactionIsAnsweredEarly(t *testing.T) {
	b := talked(t)
	b.tell(compact("c1"))
	b.quiet()
	who := b.state.compaction.waiting[0]
	b.on(compactionSlow{who}, "to op: compacted false up to 6, 3 messages of 4, 0 tokens of 5000")
	b.on(compactionSlow{who})
	b.on(compact("c1"))
	b.on(b.out(append(took("c1"), summarized(), local("c1"))...), "all: 12 notice HISTORY_COMPACTED, 13 IDLE",
		"to op: compacted true up to 6, 3 messages of 4, 300 tokens of 5100")
}

// A context above the threshold is compacted when the agent rests, and then again
// only when it has doubled.
func TestCompactAtAThreshold(t *testing.T) {
	b := talked(t)
	b.state.options.CompactThreshold = 4000
	turn := func(key string, tokens uint64) {
		b.tell(input("ann", key))
		b.tell(b.out(append(took(key), claude.TurnEnded{Inputs: []string{key}, StopReason: "end_turn", ContextTokens: tokens})...))
	}
	turn("k3", 4000)
	if b.state.compacting() {
		t.Fatal("at the threshold, not above it")
	}
	turn("k4", 4001)
	c := b.state.record.Past.Compaction
	if !b.state.compacting() || c.Trigger != messages.CompactionByThreshold {
		t.Fatalf("%+v", c)
	}
	b.tell(b.out(append(took(c.Key), claude.Compacted{TokensBefore: 4001, TokensAfter: 3000}, local(c.Key))...))
	turn("k5", 6000)
	if b.state.compacting() {
		t.Error("it has not doubled and is compacted")
	}
	turn("k6", 6001)
	if !b.state.compacting() {
		t.Error("it has doubled and is not compacted")
	}
}

// The low-water mark moves up only, with an event that says so, and the session
// stays where it is in the list.
func TestTrimHistory(t *testing.T) {
	b := talked(t)
	b.tell(b.exit(0))
	b.quiet()
	before := b.state.record.UpdatedAt
	b.now = b.now.Add(1000)
	trim := messages.TrimHistory{Session: sessionA, To: 5, Bytes: 500, Reason: messages.RetainedAge}
	b.on(trim, "all: 11 notice HISTORY_DROPPED", "to op: done", "retire")
	if p := b.state.record.Past; p.LowWater != 5 || p.LowWaterBytes != 500 || !b.state.record.UpdatedAt.Equal(before) {
		t.Errorf("%+v, updated %s", p, b.state.record.UpdatedAt)
	}
	for _, to := range []messages.Seq{4, 5, 12} {
		trim.To = to
		b.on(trim, "to op: done", "retire")
	}
	b.crash()
	if b.state.record.Past.LowWater != 5 {
		t.Error("it was forgotten")
	}
	b = newBench(t)
	b.on(trim, "to op: not found SESSION_NOT_FOUND", "retire")
}
