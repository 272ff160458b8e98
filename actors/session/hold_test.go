package session

import (
	"testing"
	"time"

	"betcode/actors/disk"
	"betcode/actors/pool"
	"betcode/actors/run"
)

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
	b.tell(transcriptRead{run: 1, inTranscript: map[string]bool{"k1": true}})
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
