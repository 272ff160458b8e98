package alarm

import (
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/settings"
	"betcode/messages"
)

var codes = []messages.Code{messages.SelfApproved, messages.ForgedRequest, messages.ForgedFleet, messages.ForgedInput}

func TestRaise(t *testing.T) {
	for name, test := range map[string]struct {
		run      messages.RunRecord
		live     bool
		reaction settings.OnAlarm
		frozen   bool
		repeats  bool
		blocks   bool
		order    Order
	}{
		"by default it freezes":    {live: true, frozen: true, blocks: true, order: Freeze},
		"it freezes":               {live: true, reaction: settings.AlarmFreezes, frozen: true, blocks: true, order: Freeze},
		"it kills":                 {live: true, reaction: settings.AlarmStops, blocks: true, order: Kill},
		"it tells":                 {live: true, reaction: settings.AlarmTells},
		"the agent has gone":       {reaction: settings.AlarmFreezes, blocks: true},
		"the agent to kill, too":   {reaction: settings.AlarmStops, blocks: true},
		"it is frozen already":     {run: messages.RunRecord{Alarm: messages.ForgedInput, Frozen: true}, live: true, frozen: true, repeats: true, blocks: true, order: Freeze},
		"it was thawed since":      {run: messages.RunRecord{Alarm: messages.ForgedInput}, live: true, frozen: true, blocks: true, order: Freeze},
		"it tells of a frozen one": {run: messages.RunRecord{Alarm: messages.ForgedInput, Frozen: true}, live: true, reaction: settings.AlarmTells, frozen: true, repeats: true},
	} {
		for _, code := range codes {
			details := map[string]string{"tool": "Bash"}
			a := Raise(test.run, test.live, code, test.reaction, details)
			if a.Run.Alarm != code || a.Run.Frozen != test.frozen || a.Repeats != test.repeats || a.Blocks != test.blocks || a.Order != test.order {
				t.Errorf("%s: %+v", name, a)
			}
			if a.Text == "" || !strings.HasPrefix(a.Message, a.Text+". ") || a.Entry.Type == "" || a.Entry.ErrorCode != string(code) || a.Entry.Tool != "Bash" {
				t.Errorf("%s: what people are text: %+v", name, a)
			}
			if a.Details["reaction"] == "" || details["reaction"] != "" {
				t.Errorf("%s: details %v, those of the caller %v", name, a.Details, details)
			}
		}
	}
}

func TestThaw(t *testing.T) {
	r, entry := Thaw(messages.RunRecord{Alarm: messages.ForgedInput, Frozen: true})
	if r.Frozen || r.Alarm != messages.ForgedInput || entry.Type != messages.AuditAgentResumed || entry.Context["alarm"] != string(messages.ForgedInput) {
		t.Errorf("%+v, %+v", r, entry)
	}
	if err := Refusal("send input", "s", messages.ForgedInput); err.Code != messages.AgentFrozen || err.Details["session_id"] != "s" || err.Hint == "" {
		t.Errorf("%+v", err)
	}
}

func TestForeignInput(t *testing.T) {
	for name, test := range map[string]struct {
		state            claude.Lifecycle
		known, continued bool
		foreign          bool
	}{
		"an unknown message is queued":      {claude.Queued, false, false, true},
		"a known message is queued":         {claude.Queued, true, false, false},
		"a done message begins again":       {claude.Started, true, false, true},
		"that of an interrupted turn":       {claude.Started, true, true, false},
		"a prompt that the agent gave":      {claude.Started, false, false, false},
		"a known message is completed":      {claude.Completed, true, false, false},
		"an unknown message is completed":   {claude.Completed, false, false, false},
		"a message that is continued waits": {claude.Queued, false, true, true},
	} {
		if got := ForeignInput(claude.InputState{Key: "k", State: test.state}, test.known, test.continued); got != test.foreign {
			t.Errorf("%s: %v", name, got)
		}
	}
}
