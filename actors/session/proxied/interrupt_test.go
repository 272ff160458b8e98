package proxied

import (
	"testing"
	"time"

	"betcode/messages"
)

func TestInterrupt(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	p := messages.ProxyRecord{Abilities: messages.ProxyAbilities{Interrupts: true}}
	note := func(canceled, connected bool, at time.Time) (changed bool) {
		p, changed = NoteInterrupt(p, canceled, connected, at)
		return changed
	}
	send := func(canceled bool) (sent bool) {
		p, sent = SendInterrupt(p, canceled)
		return sent
	}
	if note(false, false, start) || note(true, true, start) {
		t.Error("nothing waits for a connection")
	}
	if !note(true, false, start) || note(true, false, start.Add(time.Minute)) || !p.InterruptAt.Equal(start) {
		t.Errorf("it waits since %v", p.InterruptAt)
	}
	if InterruptExpired(p, start.Add(InterruptPatience)) || !InterruptExpired(p, start.Add(InterruptPatience+1)) {
		t.Error("its patience")
	}
	if send(false) || !send(true) || send(true) || !p.InterruptAt.IsZero() {
		t.Errorf("it is sent once: %+v", p)
	}
	if InterruptExpired(p, start.Add(time.Hour)) || note(true, false, start) {
		t.Error("a sent one waits")
	}
	again, changed := RepeatInterrupt(p, false)
	if changed || !again.Interrupted {
		t.Error("a turn that is not cancelled")
	}
	if p, changed = RepeatInterrupt(p, true); !changed || !send(true) {
		t.Error("a person repeats it")
	}
	if !note(false, true, start) || p.Interrupted || note(false, true, start) {
		t.Errorf("the turn has ended: %+v", p)
	}
	if p.Abilities.Interrupts = false; send(true) {
		t.Error("a proxy that cannot interrupt is told to")
	}
	if _, changed = RepeatInterrupt(p, true); changed {
		t.Error("nothing was sent")
	}
}
