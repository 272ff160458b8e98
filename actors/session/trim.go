package session

import (
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/retention"
	"betcode/messages"
)

// trimHistory moves the low-water mark: events up to it cannot be read any more. It does not change UpdatedAt, because no client
// used the session.
func (t *transition) trimHistory(from *actor.PID, m messages.TrimHistory) {
	if !t.known(from, "trim history") {
		return
	}
	if p := &t.s.record.Past; m.To > p.LowWater && m.To <= t.s.record.Head {
		p.LowWater, p.LowWaterBytes = m.To, m.Bytes
		t.notice(retention.NoticeDropped, "Older history was given up, as the settings want it", map[string]string{
			"up_to": strconv.FormatUint(uint64(m.To), 10), "reason": m.Reason,
		})
	}
	t.then(act.Reply{To: from, With: messages.Done{}})
	t.maybeRetire()
}
