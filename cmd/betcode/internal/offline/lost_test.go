package offline

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"betcode/persistence"
)

func TestRestoreSaysWhatIsLost(t *testing.T) {
	two := []persistence.SessionLoss{{Session: "a", Name: "mine", Head: 9, Kept: 4}, {Session: "b", Head: 2, Damaged: true}}
	many := make([]persistence.SessionLoss, lostShown+3)
	for i := range many {
		many[i].Head = 1
	}
	for name, c := range map[string]struct {
		done persistence.Restored
		says []string
	}{
		"nothing was there": {persistence.Restored{From: "L"}, nil},
		"nothing is newer":  {persistence.Restored{From: "L", Replaced: "L"}, []string{"No session"}},
		"unread":            {persistence.Restored{From: "L", Unread: errors.New("MANIFEST is damaged")}, []string{"not known", "MANIFEST is damaged"}},
		"two": {persistence.Restored{From: "L", Replaced: "L", Lost: two}, []string{
			"7 events of 2 sessions", "a  5 events, last", "mine", "b  at least 2 events, the whole session",
		}},
		"another lineage": {persistence.Restored{From: "L", Replaced: "M", Lost: two}, []string{"only the numbers of events"}},
		"many":            {persistence.Restored{From: "L", Replaced: "L", Lost: many}, []string{"and 3 sessions more"}},
	} {
		var out strings.Builder
		done := Restored{c.done}
		done.writeLost(&out)
		for _, want := range c.says {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: want %q in\n%s", name, want, out.String())
			}
		}
		if len(c.says) == 0 && out.Len() > 0 {
			t.Errorf("%s: %s", name, out.String())
		}
		text, err := json.Marshal(done.JSON())
		var got struct {
			Events  uint64 `json:"lost_events"`
			Lost    []any  `json:"lost"`
			Unknown string `json:"lost_unknown"`
		}
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || got.Events != done.lostEvents() || got.Lost == nil || len(got.Lost) != len(c.done.Lost) ||
			(got.Unknown != "") != (c.done.Unread != nil) {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}
