package actors

import (
	"encoding/binary"
	"testing"
	"time"

	"go.uber.org/goleak"

	"betcode/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(patient{m}) }

const sessionA messages.SessionID = "3f2a0000-0000-4000-8000-00000000000a"

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

// patient waits for what the actor library leaves behind after a dead letter: a
// goroutine that lives one second.
type patient struct{ *testing.M }

func (p patient) Run() int {
	defer time.Sleep(1100 * time.Millisecond)
	return p.M.Run()
}

// numbered returns events with the numbers from first to last. Their bytes tell
// their number, so that a mix-up is seen.
func numbered(first, last messages.Seq) []messages.Event {
	var events []messages.Event
	for seq := first; seq <= last; seq++ {
		events = append(events, messages.Event{Seq: seq, Bytes: binary.BigEndian.AppendUint64(nil, uint64(seq))})
	}
	return events
}

// numbersOf returns the numbers of events.
func numbersOf(events []messages.Event) []messages.Seq {
	numbers := make([]messages.Seq, len(events))
	for i, e := range events {
		numbers[i] = e.Seq
	}
	return numbers
}
