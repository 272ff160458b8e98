package proxied

import (
	"testing"

	"betcode/messages"
)

func TestRefuse(t *testing.T) {
	for name, test := range map[string]struct {
		m             any
		interruptible bool
		op            string
	}{
		"restart":              {messages.RestartSession{}, true, "restart session"},
		"resume":               {messages.ContinueSession{}, true, "resume session"},
		"settings":             {messages.ChangeSettings{}, true, "change settings"},
		"a grant":              {messages.SetGrant{}, true, "change grants"},
		"a subagent":           {messages.SendToSubagent{}, true, "direct subagent"},
		"a message":            {messages.SendInput{}, false, ""},
		"a file":               {messages.SendInput{Attachments: []messages.Attachment{{}}}, true, "send input"},
		"a cancel":             {messages.CancelTurn{}, true, ""},
		"a cancel it does not": {messages.CancelTurn{}, false, "cancel turn"},
		"a stop":               {messages.StopSession{}, false, ""},
	} {
		got := Refuse(test.m, test.interruptible)
		if (got != nil) != (test.op != "") || got != nil && got.Op != test.op {
			t.Errorf("%s: %+v", name, got)
		}
		if got == nil {
			continue
		}
		if err := got.Err("s"); err.Kind != messages.WrongState || err.Hint == "" || err.Details["session_id"] != "s" {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

func TestDecision(t *testing.T) {
	told, interrupts, err := Decision("r", []byte(`{"response":{"response":{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[2]}}}`))
	if err != nil || interrupts || !told.Allow || told.Request != "r" || string(told.Input) != `{"a":1}` || string(told.Permissions) != "[2]" {
		t.Errorf("%+v, %v, %v", told, interrupts, err)
	}
	told, interrupts, err = Decision("r", []byte(`{"response":{"response":{"behavior":"deny","message":"no","interrupt":true}}}`))
	if err != nil || !interrupts || told.Allow || told.Reason != "no" {
		t.Errorf("%+v, %v, %v", told, interrupts, err)
	}
	if _, _, err := Decision("r", []byte("no line")); err == nil {
		t.Error("nonsense is a decision")
	}
}
