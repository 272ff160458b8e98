package actors

import (
	"context"
	"testing"
	"time"

	"betcode/messages"
)

// A change of the settings reaches the actors that keep them, without a restart.
func TestChangedSettingsReachActors(t *testing.T) {
	inYears(t, func(s *memoryStore) { s.worded(t, sessionA, 100) }, func(*Options) {}, func(d *days) {
		d.until(2 * time.Minute)
		if low := d.low(sessionA); low != 0 {
			t.Errorf("%d events are given up without a limit", low)
		}
		now := *defaults()
		now.SessionAge, now.MaxAgents, now.MaxWaiting = 80*day, 3, 7
		d.Change(RulesOrigin{How: "test"}, now)
		d.until(5 * time.Minute)
		if low := d.low(sessionA); low != 21 {
			t.Errorf("retention gave up %d events, want 21", low)
		}
		reply, err := d.Ask(context.Background(), messages.GetHealth{})
		if err != nil {
			t.Error(err)
			return
		}
		pool := ""
		for _, c := range reply.(messages.HealthView).Components {
			if c.Name == "subprocess_pool" {
				pool = c.Message
			}
		}
		if pool != "0/3 slots used" {
			t.Errorf("the pool reports %q, want 3 agents", pool)
		}
	})
}
