package session

import (
	"errors"
	"testing"

	"betcode/messages"
)

var stop = messages.StopSession{Session: sessionA}

// A stop is carried out although nothing of it can be journaled, and whoever wanted
// it is told when the agent is gone and the wish is noted, in whichever order.
func TestStopBeatsAFailingJournal(t *testing.T) {
	const stopped = "to op: stopped, was running true"
	over := []string{"all: run 1 exited, notice INPUT_DROPPED, turn cancelled, IDLE", stopped}
	t.Run("noted before the agent is gone", func(t *testing.T) {
		b := degraded(t)
		b.quiet()
		b.on(stop, "note the stop at run 1", "run 1: stop in order")
		b.on(stopSaved{})
		b.on(b.exit(0), over...)
	})
	t.Run("noted after that", func(t *testing.T) {
		b := degraded(t)
		b.quiet()
		b.on(stop, "note the stop at run 1", "run 1: stop in order")
		b.on(b.exit(0), "all: run 1 exited")
		b.on(stopSaved{}, "all: notice INPUT_DROPPED, turn cancelled, IDLE", stopped)
	})
	t.Run("twice", func(t *testing.T) {
		b := degraded(t)
		b.quiet()
		b.on(stop, "note the stop at run 1", "run 1: stop in order")
		b.on(stop, "note the stop at run 1", "run 1: stop in order") // which the run ignores
		b.on(stopSaved{})
		b.on(stopSaved{})
		b.on(b.exit(0), append(over, stopped)...)
	})
	t.Run("nothing at all can be written", func(t *testing.T) {
		b := degraded(t)
		b.quiet()
		b.on(stop, "note the stop at run 1", "run 1: stop in order")
		b.on(stopSaved{errors.New("no space left")}, "to op: unavailable SQLITE_ERROR")
		b.on(b.exit(0), over[0])
	})
	t.Run("an agent that is being started", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.tell(input("ann", "k1"))
		b.manual = true
		b.tell(b.up())
		b.refuse()
		b.quiet()
		b.on(stop, "note the stop at run 1", "run 1: stop in order")
	})
	t.Run("no agent", func(t *testing.T) {
		b := running(t)
		b.tell(b.exit(137))
		b.manual = true
		b.tell(messages.RenameSession{Session: sessionA, Name: "x"})
		b.refuse()
		b.quiet()
		b.on(stop, "note the stop at run 1")
		b.on(stopSaved{}, "all: notice INPUT_DROPPED, IDLE", "to op: stopped, was running false")
	})
}

// A stop that was under way when the journal failed is not given up.
func TestStopMeetsAFailingJournal(t *testing.T) {
	t.Run("before it was on disk", func(t *testing.T) {
		b := turning(t)
		b.manual = true
		b.tell(stop)
		b.expect("nothing is done before it is on disk")
		b.refuse()
		b.expect("the journal fails", "all: notice JOURNAL_FAILS", "run 1: stop in order", "note the stop at run 1")
		b.on(stopSaved{})
		b.on(b.exit(0), "all: run 1 exited, notice INPUT_DROPPED, turn cancelled, IDLE", "to op: stopped, was running true")
	})
	t.Run("when the agent was gone", func(t *testing.T) {
		b := turning(t)
		b.tell(stop)
		b.manual = true
		b.tell(b.exit(0))
		b.quiet()
		b.refuse()
		said := b.quiet()
		if said[len(said)-1] != "note the stop at run 1" {
			t.Errorf("%q", said)
		}
		b.on(stopSaved{}, "to op: stopped, was running true")
	})
}

// What was noted beside the journal is heeded by the next incarnation, before
// anything else, and forgotten when the journal has it.
func TestSavedStopIsApplied(t *testing.T) {
	noted := func(run messages.RunNumber) savedStops { return savedStops{sessionA: run} }
	t.Run("while the agent lives", func(t *testing.T) {
		b := turning(t)
		b.stops = noted(1)
		b.crash()
		if !b.state.record.StopWanted || !b.journal.Record.StopWanted {
			t.Fatal("it is not wanted")
		}
		b.expect("the next incarnation", "forget the stop", "run 1: look for it at 30")
		b.on(b.adopted(), "all: 6 run 1 adopted", "run 1: stop in order")
		b.on(b.exit(0), "all: 7 run 1 exited, 8 notice INPUT_DROPPED, 9 turn cancelled, 10 IDLE", "drop run 1", "retire")
	})
	t.Run("when it is gone", func(t *testing.T) {
		b := turning(t)
		b.tell(b.exit(137))
		b.quiet()
		b.stops = noted(1)
		b.crash()
		b.expect("the next incarnation", "all: 7 notice INPUT_DROPPED, 8 turn cancelled, 9 IDLE", "forget the stop", "retire")
		b.on(restartDue{1})
	})
	t.Run("unless another agent was started since", func(t *testing.T) {
		b := turning(t)
		b.stops = noted(0)
		b.crash()
		b.expect("the next incarnation", "forget the stop", "run 1: look for it at 30")
		if b.state.record.StopWanted {
			t.Error("it is wanted")
		}
	})
	t.Run("of a session that is gone", func(t *testing.T) {
		b := newBench(t)
		b.stops = noted(1)
		b.crash()
		b.expect("the next incarnation", "forget the stop")
	})
}
