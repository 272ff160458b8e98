package session

import (
	"errors"
	"testing"
	"time"

	"betcode/actors/run"
)

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
