package translate

import (
	"testing"
	"time"

	"betcode/messages"
)

func TestLimitsOut(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	limited := func(d time.Duration) messages.SessionRecord {
		return messages.SessionRecord{RateLimit: messages.RateLimit{Since: now, Until: now.Add(d)}}
	}
	unknown := messages.SessionRecord{RateLimit: messages.RateLimit{Since: now}}
	for name, test := range map[string]struct {
		sessions []messages.SessionRecord
		limited  uint32
		until    time.Time
	}{
		"none":             {[]messages.SessionRecord{{}}, 0, time.Time{}},
		"the last end":     {[]messages.SessionRecord{limited(time.Hour), {}, limited(time.Minute), unknown}, 3, now.Add(time.Hour)},
		"nobody knows it":  {[]messages.SessionRecord{unknown}, 1, time.Time{}},
		"one that is over": {[]messages.SessionRecord{limited(-time.Second)}, 0, time.Time{}},
	} {
		n, until := LimitsOut(test.sessions, messages.SlotQueue{}, now)
		if n != test.limited || (until == nil) != test.until.IsZero() || until != nil && !until.AsTime().Equal(test.until) {
			t.Errorf("%s: %d until %v", name, n, until)
		}
	}
	record := limited(time.Hour)
	if s := SummaryOut(&record, now); !s.GetRateLimited() || s.GetRateLimitedUntil() == nil {
		t.Errorf("%v", s)
	}
}
