package launch

import (
	"slices"
	"testing"
)

// A restart takes what finds programs and logs agents in, and nothing of places, settings, terminals and services.
func TestWithEnvironment(t *testing.T) {
	old := background{environment: []string{"PATH=/bin", "HOME=/home/lea", "LANG=C", "ANTHROPIC_API_KEY=old", "TZ=UTC"}}
	next, changed := old.withEnvironment([]string{
		"PATH=/home/lea/bin:/bin", "LANG=C", "ANTHROPIC_API_KEY=new", "https_proxy=http://p", "LC_ALL=C.UTF-8",
		"HOME=/root", "XDG_STATE_HOME=/x", "BETCODE_CLAUDE=/x", "TERM=xterm", "SYSTEMD_EXEC_PID=1", "CLAUDECODE=1", "LD_PRELOAD=/x", "PATHS=/x",
	})
	if want := []string{"ANTHROPIC_API_KEY", "LC_ALL", "PATH", "https_proxy"}; !slices.Equal(changed, want) {
		t.Errorf("changed %q, want %q", changed, want)
	}
	want := []string{"HOME=/home/lea", "LANG=C", "TZ=UTC", "PATH=/home/lea/bin:/bin", "ANTHROPIC_API_KEY=new", "https_proxy=http://p", "LC_ALL=C.UTF-8"}
	if !slices.Equal(next.environment, want) {
		t.Errorf("environment %q", next.environment)
	}
	if !slices.Contains(old.environment, "PATH=/bin") || len(old.environment) != 5 {
		t.Errorf("the former environment was changed: %q", old.environment)
	}
	if _, changed := next.withEnvironment(next.environment); len(changed) != 0 {
		t.Errorf("a second time: %q", changed)
	}
}
