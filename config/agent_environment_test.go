package config

import (
	"maps"
	"slices"
	"testing"
)

func TestAgentEnvironment(t *testing.T) {
	a := AgentEnvironment{Keep: keptByDefault, Withhold: []string{"AWS_*", "CI"}}
	environ := []string{
		"PATH=/bin", "LC_ALL=C", "ANTHROPIC_API_KEY=sk", "HTTPS_PROXY=http://me:secret@proxy", "AWS_SECRET=x", "CI=1", "CIRCLE=2",
		"BETCODE_SOCKET=/s", "NOTIFY_SOCKET=/n", "HOME=/root", "ODD", "VIRTUAL_ENV=/venv",
	}
	want := map[string]string{"PATH": "/bin", "LC_ALL": "C", "VIRTUAL_ENV": "/venv"}
	if got := a.Kept(environ); !maps.Equal(got, want) {
		t.Errorf("kept: %v", got)
	}
	inherited := []string{
		"PATH=/bin", "LC_ALL=C", "ANTHROPIC_API_KEY=sk", "HTTPS_PROXY=http://me:secret@proxy", "CIRCLE=2", "HOME=/root", "ODD", "VIRTUAL_ENV=/venv",
	}
	if got := a.Inherited(environ); !slices.Equal(got, inherited) {
		t.Errorf("inherited: %v", got)
	}
	if (AgentEnvironment{Keep: []string{"B*"}}).Keeps("BETCODE_RUN_TOKEN") {
		t.Error("a variable of ours is kept")
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string][]string{"PATH": {"PATH"}, "A , B_*": {"A", "B_*"}, "off": {}} {
		if got, ok := parseNames(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "*", "A,", "A=B", "A**", "1A", "A B"} {
		if got, ok := parseNames(text); ok {
			t.Errorf("%q: %q", text, got)
		}
	}
}
