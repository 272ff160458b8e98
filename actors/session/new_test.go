package session

import (
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/messages"
)

func TestNewSession(t *testing.T) {
	b := newBench(t)
	b.on(start("ann"), "all: 1 info opus", "to ann: started, created true")
	if r := b.state.record; r.Phase != messages.PhaseNew || r.Name != "work" || !r.CreatedAt.Equal(dawn) {
		t.Errorf("%+v", r)
	}
	b.on(start("bob"), "to bob: started, created false")
	b.on(messages.GetSession{Session: sessionA}, "to op: view new")
}

// From the first message to the idle agent and on to the second message.
func TestFirstTurn(t *testing.T) {
	b := newBench(t)
	b.on(start("ann"), "all: 1 info opus", "to ann: started, created true")
	b.on(input("ann", "k1"),
		`all: lock "ann"`, "all: 2 input k1", "to ann: input k1 is 2",
		"run 1: start with --session-id")
	b.on(b.up(), "all: 3 run 1 started", "run 1: write k1")
	b.on(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.on(b.out(heard("k1", claude.Queued)))
	b.on(b.out(heard("k1", claude.Started), begun()), "all: 4 info opus, 5 THINKING")
	b.on(b.out(text("hello"), claude.AssistantText{Text: "hello", Message: "m1"}), "all: 6 text hello")
	if r := b.state.record; r.Phase != messages.PhaseActive || !r.Turn || r.Messages != 2 || r.Preview != "hello" {
		t.Errorf("in the turn: %+v", r)
	}
	b.on(b.out(text("."), finished("k1")), "all: 7 text ., 8 IDLE")
	if r := b.state.record; r.Phase != messages.PhaseIdle || r.Turn || !r.InTranscript || len(b.state.inputs) != 0 {
		t.Errorf("after the turn: %+v, inputs %v", r, b.state.inputs)
	}
	b.on(b.out(heard("k1", claude.Completed)))
	b.on(input("ann", "k2"), "all: 9 input k2", "to ann: input k2 is 9", "run 1: write k2")
	b.on(b.out(took("k2")...), "all: 10 THINKING")
	b.on(b.out(finished("k2")), "all: 11 IDLE")
}

// The order of what follows a step: write down, then tell the streams, then
// answer, then act; and nothing of it before the disk has it.
func TestNothingIsPublishedBeforeItIsDurable(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.quiet()
	b.manual = true
	b.on(input("ann", "k1"), `all: lock "ann"`)
	b.knocked = false
	b.on(pool.Answer{Place: pool.Admitted})
	b.on(input("ann", "k2"))
	b.on(messages.GetSession{Session: sessionA}) // even a question waits: its answer tells of k1
	b.commit()
	b.expect("the first commit", "all: 2 input k1", "to ann: input k1 is 2", "run 1: start with --session-id")
	b.commit()
	b.expect("the second commit", "all: 3 input k2", "to ann: input k2 is 3", "to op: view active")
	b.on(messages.GetSession{Session: sessionA}, "to op: view active")
}

func TestInputIsIdempotent(t *testing.T) {
	b := running(t)
	b.on(input("ann", "k1"), "to ann: input k1 is 2")
	other := input("ann", "k1")
	other.Content = "something else"
	b.on(other, "to ann: input k1 is 2")
	b.tell(b.out(took("k1")...))
	b.tell(b.out(finished("k1")))
	b.quiet()
	b.on(input("ann", "k1"), "to ann: input k1 is 2")
	b.tell(attach("ann", "s1"))
	b.quiet()
	b.on(input("bob", "k1"), "to bob: input k1 is 2") // a repetition needs no lock
}

func TestInvalidInputIsRefused(t *testing.T) {
	b := running(t)
	empty := input("ann", "k2")
	empty.Content = " "
	b.on(empty, "to ann: invalid")
	odd := input("ann", "k2")
	odd.Attachments = []messages.Attachment{{Filename: "a.zip", MimeType: "application/zip", Data: []byte("x")}}
	b.on(odd, "to ann: invalid")
	b.on(input("ann", "k2"), "all: 4 input k2", "to ann: input k2 is 4", "run 1: write k2")
}

func TestUnknownSession(t *testing.T) {
	for _, m := range []messages.Request{
		input("ann", "k1"), cancel("ann"), take("ann"), answer("ann", "p", messages.AllowOnce), attach("ann", "s1"),
		messages.ChangeSettings{Session: sessionA, Client: "ann", Model: "x"},
	} {
		b := newBench(t)
		b.on(m, "to "+asker(m).Id+": not found SESSION_NOT_FOUND", "retire")
	}
	for _, m := range []messages.Request{
		messages.GetSession{Session: sessionA},
		messages.RenameSession{Session: sessionA},
		messages.StopSession{Session: sessionA},
		messages.DeleteSession{Session: sessionA},
		messages.SetGrant{Session: sessionA},
		messages.ClearGrants{Session: sessionA},
	} {
		b := newBench(t)
		b.on(m, "to op: not found SESSION_NOT_FOUND", "retire")
		if !b.state.idle() {
			t.Error("the actor of an unknown session has something to do")
		}
	}
}

// Several messages at once become one turn, or one is folded into the turn that
// runs: the result says which it has answered (wire notes, section 6).
func TestMessagesAndTurnsAreNotOneToOne(t *testing.T) {
	t.Run("merged", func(t *testing.T) {
		b := turning(t)
		b.tell(input("ann", "k2"))
		b.tell(input("ann", "k3"))
		b.tell(b.out(heard("k2", claude.Queued), heard("k3", claude.Queued)))
		b.quiet()
		b.on(b.out(finished("k1"), heard("k1", claude.Completed)), "all: 8 THINKING")
		if b.state.record.Phase != messages.PhaseActive {
			t.Error("idle with messages that wait")
		}
		b.on(b.out(heard("k2", claude.Started), heard("k3", claude.Started), begun()))
		b.on(b.out(finished("k2", "k3")), "all: 9 IDLE")
		if len(b.state.inputs) != 0 {
			t.Errorf("unsettled: %v", b.state.inputs)
		}
	})
	t.Run("folded in", func(t *testing.T) {
		b := turning(t)
		b.tell(input("ann", "k2"))
		b.tell(b.out(heard("k2", claude.Queued), heard("k2", claude.Started), heard("k2", claude.Completed)))
		b.quiet()
		if len(b.state.inputs) != 2 {
			t.Errorf("settled before the turn is on the agent's disk: %v", b.state.inputs)
		}
		b.on(b.out(finished("k1", "k2")), "all: 7 IDLE")
		if len(b.state.inputs) != 0 {
			t.Errorf("unsettled: %v", b.state.inputs)
		}
	})
	t.Run("known to a resumed agent", func(t *testing.T) {
		b := running(t)
		b.on(b.out(heard("k1", claude.Completed)), "all: 4 notice INPUT_KNOWN, 5 IDLE")
		if r := b.state.record; r.Phase != messages.PhaseIdle || len(b.state.inputs) != 0 {
			t.Errorf("%+v, inputs %v", r, b.state.inputs)
		}
	})
	t.Run("refused by the agent", func(t *testing.T) {
		b := running(t)
		b.on(b.out(heard("k1", claude.Queued), heard("k1", claude.Canceled)), "all: 4 IDLE")
	})
	t.Run("of nobody", func(t *testing.T) {
		b := remembering(t)
		b.on(b.out(heard("internal", claude.Started), begun()), "all: 7 THINKING")
		b.on(b.out(heard("internal", claude.Completed), finished()), "all: 8 IDLE")
	})
}

// A background task keeps the session active after the turn that began it.
func TestBackgroundTasksKeepTheSessionActive(t *testing.T) {
	b := turning(t)
	b.on(b.out(claude.BackgroundTasks{IDs: []string{"task"}}, finished("k1")), "all: 6 THINKING")
	if r := b.state.record; r.Phase != messages.PhaseActive || r.Turn {
		t.Errorf("%+v", r)
	}
	b.on(b.out(begun()))
	b.on(b.out(finished()), "all: 7 THINKING")
	b.on(b.out(claude.BackgroundTasks{}), "all: 8 IDLE")
	if b.state.record.Phase != messages.PhaseIdle {
		t.Errorf("%+v", b.state.record)
	}
}

// Where the agent tells about itself, its word counts: a turn about the end of a
// task may follow the end of the task at once.
func TestBackgroundTaskThatEndsInATurn(t *testing.T) {
	b := turning(t)
	b.tell(b.out(claude.SessionStateChanged{State: "running"}, claude.BackgroundTasks{IDs: []string{"task"}}, finished("k1")))
	b.quiet()
	b.on(b.out(claude.BackgroundTasks{}))
	b.on(b.out(begun()))
	b.on(b.out(finished()), "all: 7 IDLE")
	b.on(b.out(claude.SessionStateChanged{State: "idle"}))
}

// The first message of a person gives the session its title; later ones, and names, do not change it.
func TestTitleComesFromTheFirstMessage(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	first := input("ann", "k1")
	first.Content = "Mend the parser.\nIt loses lines."
	b.tell(first)
	b.tell(input("ann", "k2"))
	b.crash()
	if r := b.state.record; r.Title != "Mend the parser" || r.Label() != r.Name {
		t.Errorf("title %q, label %q", r.Title, r.Label())
	}
	b.tell(messages.RenameSession{Session: sessionA})
	if r := b.state.record; r.Label() != "Mend the parser" {
		t.Errorf("without a name it is called %q", r.Label())
	}
}
