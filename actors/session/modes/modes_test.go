package modes_test

import (
	"testing"

	"betcode/actors/session/modes"
)

func TestWhichModesAreConfirmed(t *testing.T) {
	exposed := ""
	risk := func(mode string) string { return modes.Risk(mode, func() string { return exposed }) }
	for _, mode := range []string{"", "default", "manual", "plan", "dontAsk", "acceptEdits"} {
		if got := risk(mode); got != "" {
			t.Errorf("%q: %s", mode, got)
		}
	}
	exposed = "the directory holds .claude"
	for _, mode := range []string{"acceptEdits", "auto", "bypassPermissions", "a mode of tomorrow"} {
		if risk(mode) == "" {
			t.Errorf("%q needs no confirmation", mode)
		}
	}
	if risk("plan") != "" {
		t.Error("plan needs a confirmation because of the directory")
	}
}

func TestConfirmationCoversModes(t *testing.T) {
	for _, c := range []struct {
		confirmed []string
		mode      string
		want      bool
	}{
		{nil, "auto", false},
		{[]string{"acceptEdits"}, "auto", false},
		{[]string{"auto"}, "auto", true},
		{[]string{"bypassPermissions"}, "auto", true},
		{[]string{"auto"}, "bypassPermissions", false},
	} {
		if got := modes.Confirmed(c.confirmed, c.mode); got != c.want {
			t.Errorf("%v covers %s: %v", c.confirmed, c.mode, got)
		}
	}
}
