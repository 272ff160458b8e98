package launchplan

import (
	"testing"

	"betcode/actors/run"
	"betcode/messages"
)

// A program below the oldest supported version is not started.
func TestTooOld(t *testing.T) {
	for version, refused := range map[string]bool{"1.0.60": true, "2.0.76": true, "2.0.77": false, "": false, "nightly": false} {
		if advice := tooOld(version); (advice != "") != refused {
			t.Errorf("%q: %q", version, advice)
		}
	}
}

func TestOptionsOfVersions(t *testing.T) {
	o := messages.AgentOptions{Effort: "low", MaxTurns: 2}
	for version, lacks := range map[string]bool{"2.0.77": true, "2.1.20": true, "2.1.119": false, "2.1.330": false, "": false} {
		if got := LackingOption(o, version); (got != "") != lacks {
			t.Errorf("%q: %q", version, got)
		}
		exit, refused := optionsRefused(o, version)
		if refused != lacks || refused && exit.Stage != run.StageVersion {
			t.Errorf("%q: %+v", version, exit)
		}
	}
	if got := LackingOption(messages.AgentOptions{MaxTurns: 2, NoTools: true}, "2.0.77"); got != "" {
		t.Errorf("2.0.77: %q", got)
	}
}
