package condition_test

import (
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/condition"
	"betcode/messages"
)

func TestFind(t *testing.T) {
	ended := func(code int, stage string) messages.Exit {
		return messages.Exit{Known: true, Code: code, Stage: stage}
	}
	for name, c := range map[string]struct {
		evidence condition.Evidence
		want     messages.Condition
	}{
		"a clean end":            {condition.Evidence{Exit: ended(0, ""), Silent: true}, ""},
		"a crash":                {condition.Evidence{Exit: ended(1, ""), Stderr: "oops"}, ""},
		"nothing can be written": {condition.Evidence{Exit: ended(127, run.StageState), Silent: true}, messages.StateNotWritable},
		"it refuses to start":    {condition.Evidence{Exit: ended(1, ""), Stderr: "error: unknown option '--x'", Silent: true}, messages.StartRefused},
		"it had begun to work":   {condition.Evidence{Exit: ended(1, ""), Stderr: "error: unknown option '--x'"}, ""},
		"not logged in": {
			condition.Evidence{Turn: &claude.TurnEnded{IsError: true, Failure: "AUTHENTICATION_FAILED", Error: "run /login"}}, messages.NotLoggedIn,
		},
		"a key that is refused": {
			condition.Evidence{Turn: &claude.TurnEnded{IsError: true, Failure: "AUTHENTICATION_FAILED", Error: "401"}}, messages.KeyRefused,
		},
		"no transcript":     {condition.Evidence{Exit: ended(1, ""), MemoryGone: true, Forgotten: true}, messages.ConversationDeleted},
		"another directory": {condition.Evidence{Exit: ended(1, ""), MemoryGone: true}, messages.MemoryGone},
	} {
		got, found := condition.Find(c.evidence)
		if found != (c.want != "") || got.Name != c.want {
			t.Errorf("%s: %q, want %q", name, got.Name, c.want)
		}
		if found && (got.Text == "" || got.Remedy == "") {
			t.Errorf("%s: people are not text what to do: %+v", name, got)
		}
	}
}

func TestWhy(t *testing.T) {
	for want, e := range map[string]condition.Evidence{
		"no such file": {Exit: messages.Exit{Known: true, Code: 127, Stage: "execute", Reason: "no such file"}, Stderr: "noise"},
		"":             {Exit: messages.Exit{Known: true, Code: 1, Reason: "exit status 1"}, MemoryGone: true}, // it says nothing more
	} {
		if got, _ := condition.Find(e); got.Why != want {
			t.Errorf("why %q, want %q", got.Why, want)
		}
	}
}
