package claude

import (
	"slices"
	"strings"
	"testing"

	"betcode/messages/claudecode"
)

func TestRestrict(t *testing.T) {
	argv := []string{"claude", "-p"}
	for _, test := range []struct {
		r    Restriction
		want []string
	}{
		{Restriction{}, []string{"claude", "-p"}},
		{Restriction{Guarded: true}, []string{"claude", "-p", "--setting-sources", "user"}},
		{Restriction{Servers: "/r/mcp.json"}, []string{"claude", "-p", "--mcp-config", "/r/mcp.json"}},
		{Restriction{Guarded: true, Servers: "/r/mcp.json", Strict: true}, []string{"claude", "-p", "--mcp-config", "/r/mcp.json", "--setting-sources", "user", "--strict-mcp-config"}},
	} {
		if got := Restrict(argv, test.r); !slices.Equal(got, test.want) {
			t.Errorf("%v: %q", test.r, got)
		}
	}
}

func TestMergeServers(t *testing.T) {
	own := `{"mcpServers":{"a":{"command":"own"},"b":{"command":"b"}}}`
	for _, test := range []struct {
		configs []string
		want    string
	}{
		{nil, ``},
		{[]string{"", ""}, ``},
		{[]string{own, ""}, own},
		{[]string{"", own}, own},
		{[]string{own, `{"mcpServers":{"a":{"command":"theirs"}}}`}, `{"mcpServers":{"a":{"command":"theirs"},"b":{"command":"b"}}}`},
		{[]string{own, `{`}, ``},
	} {
		var configs [][]byte
		for _, c := range test.configs {
			configs = append(configs, []byte(c))
		}
		if got := string(MergeServers(configs...)); got != test.want {
			t.Errorf("%q: %s", test.configs, got)
		}
	}
}

func TestOwnServers(t *testing.T) {
	memory := `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}, "projects": {
		"/p": {"mcpServers": {"b": {"command": "p"}}}, "/p/q": {"mcpServers": {"c": {"command": "q"}}}, "/x": {"mcpServers": {"d": {}}}}}`
	for _, test := range []struct {
		memory     string
		everywhere bool
		projects   []string
		want       string
	}{
		{memory, true, []string{"/p/q", "/p"}, `{"mcpServers":{"a":{"command":"a"},"b":{"command":"p"},"c":{"command":"q"}}}`},
		{memory, false, []string{"/p"}, `{"mcpServers":{"b":{"command":"p"}}}`},
		{memory, false, []string{"/other"}, ``},
		{`{"mcpServers": []}`, true, nil, ``},
		{``, true, nil, ``},
	} {
		if got := string(OwnServers([]byte(test.memory), test.everywhere, test.projects...)); got != test.want {
			t.Errorf("%v %v: %s", test.everywhere, test.projects, got)
		}
	}
}

// The user's setting that no hook runs is on the command line, whatever else is added to it.
func TestHooksOff(t *testing.T) {
	for settings, off := range map[string]bool{
		`{"disableAllHooks": true}`: true, `{"disableAllHooks": false}`: false, `{"DisableAllHooks": true}`: false,
		`{"disableAllHooks": "true"}`: false, `{}`: false, ``: false, `[`: false,
	} {
		if got := HooksOff([]byte(settings)); got != off {
			t.Errorf("%s: %t", settings, got)
		}
	}
	for _, argv := range [][]string{
		{"claude", "-p", "--verbose", "--settings", DelegatedRules{Ask: []string{"Read(x)"}}.settings()},
		{"claude", "-p", "--verbose"},
	} {
		got := Fit(Restrict(argv, Restriction{HooksOff: true, Ask: []string{"Bash(git *)"}}), claudecode.Of("2.1.330"))
		at := slices.Index(got, settingsFlag)
		if at < 0 || slices.Contains(got[at+1:], settingsFlag) || !strings.Contains(got[at+1], `"disableAllHooks":true`) || !strings.Contains(got[at+1], "git *") {
			t.Errorf("%q", got)
		}
	}
}

// The hook is beside the rules that a command line has, and each version gets what it knows.
func TestHeldChanges(t *testing.T) {
	for _, argv := range [][]string{
		{"claude", "-p", "--verbose", "--settings", DelegatedRules{Ask: []string{"Read(x)"}}.settings(), "--allowedTools", "Read"},
		{"claude", "-p", "--verbose", "--allowedTools", "Read"},
	} {
		before := RulesOf(argv)
		fitted := Fit(argv, claudecode.Capabilities{PartialMessages: true, CommandLifecycle: true, HeldChanges: true})
		at := slices.Index(fitted, settingsFlag)
		if at < 0 || at > slices.Index(fitted, "--allowedTools") || !strings.Contains(fitted[at+1], `"hooks":`+holdChanges) || !strings.Contains(fitted[at+1], `"disableAllHooks":false`) {
			t.Errorf("%q", fitted)
		}
		if after := RulesOf(fitted); !slices.Equal(before.Ask, after.Ask) || !slices.Equal(before.Deny, after.Deny) {
			t.Errorf("%v became %v", before, after)
		}
		if old := Fit(argv, claudecode.Of("2.1.265")); !slices.Equal(old, argv) {
			t.Errorf("an old version gets %q", old)
		}
	}
}
