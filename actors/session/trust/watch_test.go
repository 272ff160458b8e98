package trust

import (
	"testing"

	"betcode/messages"
)

func TestWatch(t *testing.T) {
	w := Started(false)
	if !w.Fresh() || w.Looked() {
		t.Errorf("%+v", w)
	}
	if w.Given(); w.Fresh() {
		t.Error("fresh after a message")
	}
	if l, due := w.Look(true, false); !due || l != (Look{Fresh: true}) {
		t.Errorf("%+v, %v", l, due)
	}
	if _, due := w.Look(true, false); due || w.Owes() {
		t.Errorf("a second one: %+v", w)
	}
	if _, due := w.Look(false, true); due || !w.Owes() {
		t.Errorf("a search meanwhile: %+v", w)
	}
	if !w.Looked() || w.Looked() {
		t.Errorf("%+v", w)
	}
	if l, due := w.Look(false, true); !due || !l.Search || w.Owes() {
		t.Errorf("%+v, %v", l, due)
	}
	w.Looked()
	if w.Compared(false); w.Fresh() {
		t.Error("fresh after a tool call")
	}
	if w.Compared(true); !w.Fresh() {
		t.Error("not fresh for the message")
	}
}

// The first comparison of an adopted agent looks below its directory.
func TestAdopted(t *testing.T) {
	w := Started(true)
	if l, due := w.Look(true, false); !due || !l.Search || w.Fresh() {
		t.Errorf("%+v, %v", l, due)
	}
}

func TestJudge(t *testing.T) {
	guard := func(m messages.GuardMode, ask ...string) messages.Guard { return messages.Guard{Mode: m, Ask: ask} }
	off, quiet, strict := messages.GuardOff, messages.GuardQuiet, messages.GuardStrict
	for name, test := range map[string]struct {
		has, now        messages.Guard
		failed, resting bool
		want            Verdict
	}{
		"still trusted":        {guard(off), guard(off), false, true, Keeps},
		"unreadable":           {guard(off), guard(off), true, false, Replaces},
		"lost":                 {guard(off), guard(strict), false, false, Replaces},
		"everything removed":   {guard(off), guard(quiet), false, true, Keeps},
		"gained":               {guard(strict), guard(off), false, true, Replaces},
		"gained at work":       {guard(strict), guard(off), false, false, Keeps},
		"appeared":             {guard(quiet), guard(strict), false, true, Renews},
		"changed again":        {guard(strict), guard(strict), false, true, Renews},
		"nothing there":        {guard(quiet), guard(quiet), false, true, Keeps},
		"git runs programs":    {guard(quiet), guard(strict, "Bash(git *)"), false, false, Replaces},
		"git as it was before": {guard(strict, "Bash(git *)"), guard(strict, "Bash(git *)"), false, false, Renews},
	} {
		if got := Judge(test.has, test.now, test.failed, test.resting); got != test.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}
