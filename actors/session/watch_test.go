package session

import (
	"errors"
	"testing"
	"time"

	"betcode/actors/disk"
	"betcode/actors/internal/claude"
	"betcode/actors/permission"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/recall"
	"betcode/actors/session/watchdog"
	"betcode/messages"
)

// watched returns a bench whose agent is in the middle of a turn, at a moment
// that the test moves.
func watched(t *testing.T) *bench {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(input("ann", "k1"))
	b.tell(b.up())
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(took("k1")...))
	b.quiet()
	return b
}

// wake tells the session that the time for a look has come.
func (b *bench) wake(after time.Duration) {
	b.now = b.now.Add(after)
	b.tell(silenceDue{1})
}

func TestSilentAgentIsInterruptedThenEnded(t *testing.T) {
	b := watched(t)
	b.wake(6 * time.Minute)
	b.expect("a silence that is not long")
	b.wake(time.Minute)
	b.expect("a long one", "all: 6 notice AGENT_SILENT", "run 1: interrupt")
	b.wake(watchdog.ReactionTime)
	b.expect("no reaction", "all: 7 notice AGENT_HANGS", "run 1: stop resumably")
	b.tell(b.exit(143))
	b.tell(recall.Answer{Run: 1, Known: map[string]bool{"k1": true}})
	if !b.state.active() || b.state.record.Run != 2 {
		t.Errorf("it is not started again: %+v", b.state.run)
	}
}

func TestActiveAgentIsNotInterrupted(t *testing.T) {
	b := watched(t)
	b.now = b.now.Add(5 * time.Minute)
	b.tell(b.out(text("still at it")))
	b.quiet()
	b.wake(2 * time.Minute)
	b.expect("heard two minutes ago")
	b.wake(5 * time.Minute)
	b.expect("silent since", "all: 7 notice AGENT_SILENT", "run 1: interrupt")
	b.tell(b.out(finished("k1")))
	b.quiet()
	b.wake(watchdog.ReactionTime)
	b.expect("the turn is over")
	if b.state.agent.watchdog.Watching() || b.state.agent.watchdog.Interrupted() {
		t.Error("it is still watched")
	}
}

// An agent that waits for a person may be silent for days.
func TestWaitingForAPersonIsNoSilence(t *testing.T) {
	b := watched(t)
	b.tell(b.out(claude.PermissionAsked{Request: "p1", Tool: "Bash", Input: []byte(`{}`), At: b.now}))
	b.quiet()
	for range 100 {
		b.wake(time.Hour)
	}
	b.expect("a hundred hours")
}

// A wait that was announced is no silence, however long it is; only what is longer.
func TestAnnouncedWaitIsNoSilence(t *testing.T) {
	b := watched(t)
	b.tell(b.out(claude.RetryWait{Attempt: 3, Delay: 20 * time.Minute, Status: 529}))
	b.wake(20 * time.Minute)
	b.expect("the end of the wait")
	b.wake(6 * time.Minute)
	b.expect("six minutes later")
	b.wake(time.Minute)
	b.expect("seven", "all: 6 notice AGENT_SILENT", "run 1: interrupt")
}

// A running tool is heard; what comes after it counts from there.
func TestHeartbeatOfATool(t *testing.T) {
	b := watched(t)
	for range 100 {
		b.now = b.now.Add(30 * time.Second)
		b.tell(b.out(claude.ToolProgress{ID: "t1", Tool: "Bash"}))
		b.wake(0)
	}
	b.expect("fifty minutes of a tool")
	b.wake(7 * time.Minute)
	b.expect("its silence", "all: 6 notice AGENT_SILENT", "run 1: interrupt")
}

// An agent that says that it has got the interrupt, and does nothing about it,
// hangs nevertheless.
func TestInterruptThatIsOnlyAcknowledged(t *testing.T) {
	b := watched(t)
	b.wake(7 * time.Minute)
	b.quiet()
	b.tell(b.out(claude.ControlAnswered{Request: b.state.agent.interrupt, OK: true}))
	b.wake(watchdog.ReactionTime)
	b.expect("no end of the turn", "all: 7 notice AGENT_HANGS", "run 1: stop resumably")
}

// A decision that took days is not held against the agent that waited for it.
func TestSilenceBeginsWithTheDecision(t *testing.T) {
	b := watched(t)
	b.tell(b.out(claude.PermissionAsked{Request: "p1", Tool: "Bash", Input: []byte(`{}`), At: b.now}))
	b.wake(48 * time.Hour)
	decision := answer("ann", "p1", messages.AllowOnce)
	b.tell(decision)
	b.tell(permission.Decided{PermissionDecided: messages.PermissionDecided{Answer: decision, By: "ann", At: b.now}})
	b.quiet()
	b.wake(time.Second)
	b.expect("a second later")
}

// A message that is read by nobody is noticed too. There is no turn that could be
// interrupted.
func TestAgentThatNeverBegins(t *testing.T) {
	b := running(t)
	b.wake(6 * time.Minute)
	b.expect("a silence that is not long")
	b.wake(time.Minute)
	b.expect("a long one", "all: 4 notice AGENT_HANGS", "run 1: stop resumably")
	b.tell(b.exit(143))
	b.quiet()
	b.on(b.up(), "all: 6 run 2 started", "run 2: write k1")
	if n := b.state.record.Interruptions; n != 1 {
		t.Errorf("it was cut off %d times", n)
	}
}

// Work in the background may be silent between turns.
func TestBackgroundWorkIsNotWatched(t *testing.T) {
	b := watched(t)
	b.tell(b.out(claude.BackgroundTasks{IDs: []string{"t1"}}, finished("k1")))
	b.quiet()
	for range 100 {
		b.wake(time.Hour)
	}
	b.expect("a hundred hours")
}

func TestFullDiskHoldsTheAgent(t *testing.T) {
	b := turning(t)
	b.full = true
	b.tell(disk.Changed{Full: true})
	b.expect("the disk is full", "run 1: hold for disk full")
	b.tell(run.Frozen{Run: 1, Why: run.DiskFull})
	b.expect("held", "all: 6 notice DISK_FULL")
	b.wake(time.Hour)
	b.expect("an hour is no silence")
	b.full = false
	b.tell(disk.Changed{Full: false})
	b.expect("there is room", "run 1: no longer hold for disk full")
	b.tell(run.Frozen{Run: 1, Why: 0})
	b.expect("let go", "all: 7 notice AGENT_GOES_ON")
	b.wake(6 * time.Minute)
	b.expect("its silence counts from here on")
	b.wake(time.Minute)
	b.expect("seven minutes", "all: 8 notice AGENT_SILENT", "run 1: interrupt")
}

// Nothing new is begun, and what was accepted is neither lost nor refused twice.
func TestFullDiskRefusesNewTurns(t *testing.T) {
	b := remembering(t)
	b.full = true
	b.tell(input("ann", "k2"))
	b.expect("a new message", "to ann: exhausted DISK_FULL")
	b.tell(input("ann", "k1"))
	b.expect("one that was accepted", "to ann: input k1 is 2")
	b.full = false
	b.tell(input("ann", "k2"))
	b.expect("there is room", "all: 7 input k2", "to ann: input k2 is 7", "run 1: write k2")
}

// An agent that crashed is not started again before there is room.
func TestFullDiskStartsNoAgent(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(1))
	b.tell(recall.Answer{Run: 1, Known: map[string]bool{"k1": true}})
	b.quiet()
	b.full = true
	b.tell(restartDue{1})
	b.tell(pool.Answer{Place: pool.Admitted})
	b.quiet()
	if b.state.active() || !b.state.wanted() {
		t.Fatalf("run %d, starved %v", b.state.record.Run, b.state.wanted())
	}
	b.full = false
	b.tell(disk.Changed{Full: false})
	b.tell(pool.Answer{Place: pool.Admitted})
	if !b.state.active() || b.state.record.Run != 2 {
		t.Errorf("it is not started: %+v", b.state.run)
	}
}

func TestHoldEndsWithItsRun(t *testing.T) {
	b := turning(t)
	b.tell(run.Frozen{Run: 1, Why: run.OverQuota})
	b.expect("held", "all: 6 notice SPOOL_QUOTA")
	b.tell(b.exit(143))
	b.quiet()
	b.tell(run.Frozen{Run: 1, Why: 0})
	b.expect("too late to be told")
	if b.state.agent.freezeReasons != 0 {
		t.Error("it is still held")
	}
}

// People are told once, and not hearing an agent is no silence of its.
func TestOutputThatCannotBeRead(t *testing.T) {
	b := turning(t)
	b.on(run.OutputUnreadable{Run: 1, Err: errors.New("input/output error")}, "all: 6 notice OUTPUT_UNREADABLE")
	b.wake(time.Hour)
	b.expect("an hour is no silence")
	b.on(run.OutputUnreadable{Run: 1}, "all: 7 notice OUTPUT_READABLE")
	b.on(run.OutputUnreadable{Run: 7}) // of an earlier run
	b.wake(7 * time.Minute)
	b.expect("seven minutes", "all: 8 notice AGENT_SILENT", "run 1: interrupt")
}
