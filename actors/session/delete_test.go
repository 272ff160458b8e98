package session

import (
	"testing"

	"betcode/messages"
)

// A chat in which nothing was said leaves no session behind.
func TestUnusedSessionIsDiscarded(t *testing.T) {
	discards := func(client messages.ClientID, name string) messages.Attach {
		a := attach(client, name)
		a.Discards = true
		return a
	}
	leave := func(name string) messages.Detach { return messages.Detach{Session: sessionA, Stream: name} }
	begun := func(t *testing.T, attached messages.Attach) *bench {
		b := newBench(t)
		unnamed := start("ann")
		unnamed.Name = ""
		b.tell(unnamed)
		b.tell(attached)
		b.quiet()
		return b
	}
	t.Run("it is gone with its client", func(t *testing.T) {
		b := begun(t, discards("ann", "a1"))
		b.tell(leave("a1"))
		if b.quiet(); !b.journal.Deleted || !b.state.idle() {
			t.Errorf("deleted: %v, idle: %v", b.journal.Deleted, b.state.idle())
		}
		b.on(input("ann", "k1"), "to ann: not found SESSION_NOT_FOUND", "retire")
	})
	kept := func(what string, b *bench, last string) {
		t.Run(what, func(t *testing.T) {
			b.tell(leave(last))
			if b.quiet(); b.journal.Deleted || !b.state.exists {
				t.Error("it was discarded")
			}
		})
	}
	kept("a client that wants to keep it", begun(t, attach("ann", "a1")), "a1")
	watching := observer("ann")
	watching.Discards = true
	kept("an observer", begun(t, watching), "ann")
	said := begun(t, discards("ann", "a1"))
	said.tell(input("ann", "k1"))
	said.quiet()
	kept("something was said", said, "a1")
	named := begun(t, discards("ann", "a1"))
	named.tell(messages.RenameSession{Session: sessionA, Name: "kept"})
	named.quiet()
	kept("it has a name", named, "a1")
	shared := begun(t, discards("ann", "a1"))
	shared.tell(attach("bob", "b1"))
	shared.quiet()
	kept("another client is there", shared, "a1")
	kept("and leaves later", shared, "b1")
	draining := begun(t, discards("ann", "a1"))
	draining.tell(messages.Detach{Session: sessionA, Stream: "a1", Draining: true})
	draining.quiet()
	kept("the daemon ends", draining, "a1")
}

func TestDelete(t *testing.T) {
	remove := messages.DeleteSession{Session: sessionA}
	gone := []string{"all: error SESSION_CLOSED", "to op: done", "forget /runs/" + string(sessionA), "retire"}
	t.Run("without an agent", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.quiet()
		b.on(remove, gone...)
		if !b.journal.Deleted || !b.state.idle() {
			t.Errorf("deleted: %v, idle: %v", b.journal.Deleted, b.state.idle())
		}
		b.on(remove, "to op: not found SESSION_NOT_FOUND", "retire")
	})
	t.Run("in a turn that waits for a person, with somebody watching", func(t *testing.T) {
		b := asking(t)
		b.tell(attach("bob", "b1"))
		b.quiet()
		b.on(remove, "run 1: stop in order")
		b.on(input("ann", "k2"), "to ann: not found SESSION_NOT_FOUND")
		b.on(attach("eve", "e1"), "to e1: not found SESSION_NOT_FOUND")
		b.on(remove, "to op: not found SESSION_NOT_FOUND")
		b.on(b.exit(0), "drop run 1", "stop waiting for p1", "all: error SESSION_CLOSED", "to op: done", "drop client b1",
			"forget /runs/"+string(sessionA), "retire")
		if !b.state.idle() {
			t.Errorf("it has something to do: %+v", b.state)
		}
	})
}

// An id that was used once is never used again, and who tries is told.
func TestDeletedSessionStaysDeleted(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(messages.DeleteSession{Session: sessionA})
	b.quiet()
	b.on(start("ann"), "to ann: not found SESSION_CLOSED", "retire")
	b.crash()
	b.on(start("bob"), "to bob: not found SESSION_CLOSED", "retire")
	if !b.state.idle() {
		t.Error("it has something to do")
	}
	b.manual = true
	b.on(start("ann"))
	b.on(input("ann", "k1"))
	b.on(messages.GetSession{Session: sessionA})
	b.commit()
	b.expect("the refusal", "to ann: not found SESSION_CLOSED", "to op: not found SESSION_CLOSED", "to ann: not found SESSION_CLOSED", "retire")
}
