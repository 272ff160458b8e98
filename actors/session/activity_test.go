package session

import (
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/messages"
)

// Only people and turns move a session up the list that clients continue from.
func TestWhatCountsAsUse(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(*bench)
		used    bool
	}{
		"a message":           {func(b *bench) { b.tell(messages.SendInput{Session: sessionA, Client: "ann", Key: "k9", Content: "hi"}) }, true},
		"a new name":          {func(b *bench) { b.tell(messages.RenameSession{Session: sessionA, Name: "n"}) }, true},
		"a turn":              {func(b *bench) { b.tell(b.out(claude.TurnStarted{})) }, true},
		"the end of a turn":   {func(b *bench) { b.tell(b.out(claude.TurnEnded{})) }, true},
		"the end of a run":    {func(b *bench) { b.tell(messages.RunEnded{Run: b.state.record.Run}) }, false},
		"parking":             {func(b *bench) { b.tell(pool.Park{}) }, false},
		"a background task":   {func(b *bench) { b.tell(b.out(claude.BackgroundTasks{IDs: []string{"x"}})) }, false},
		"a client":            {func(b *bench) { b.tell(attach("bob", "b9")) }, false},
		"the agent's request": {func(b *bench) { b.tell(b.out(claude.ControlAsked{Request: "r", Subtype: "x"})) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := remembering(t)
			b.quiet()
			before := b.state.record.UpdatedAt
			b.now = b.now.Add(time.Hour)
			test.happens(b)
			b.quiet()
			if used := !b.state.record.UpdatedAt.Equal(before); used != test.used {
				t.Errorf("used: %v, want %v", used, test.used)
			}
		})
	}
}
