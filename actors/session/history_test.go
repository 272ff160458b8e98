package session

import (
	"testing"

	"betcode/messages"
)

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
