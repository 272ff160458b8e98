package claude

import (
	"slices"
	"strings"
	"testing"

	"betcode/messages"
)

// Possible secrets of a server are left out: arguments, headers, environments,
// and everything of an address except its host.
func TestServersWithoutSecrets(t *testing.T) {
	for config, want := range map[string]messages.McpServer{
		`{"type":"stdio","command":"npx","args":["--token","SECRET"],"env":{"K":"SECRET"}}`: {Type: "stdio", Endpoint: "npx"},
		`{"command":"/bin/c"}`: {Type: "stdio", Endpoint: "/bin/c"},
		`{"type":"http","url":"https://me:SECRET@host:8443/SECRET?key=SECRET#SECRET","headers":{"X":"SECRET"}}`: {Type: "http", Endpoint: "https://host:8443"},
		`{"type":"sse","url":"SECRET"}`:                {Type: "sse"},
		`{"type":"http","url":"https://ho st/SECRET"}`: {Type: "http"},
		`{"type":"http","url":"${SECRET:-x}/y"}`:       {Type: "http"},
		`{}`:                                           {},
	} {
		want.Name = "a"
		got := ConfiguredServers(nil, []byte(`{"mcpServers":{"a":`+config+`}}`), "/p")
		if !slices.Equal(got, []messages.McpServer{want}) {
			t.Errorf("%s: %+v", config, got)
		}
	}
}

// Of several files that name a server the nearest counts.
func TestConfiguredServers(t *testing.T) {
	home := `{"mcpServers":{"user":{"type":"sse","url":"http://u/x"},"both":{"command":"of user"},"all":{"command":"of user"},"odd":7},
		"projects":{"/p":{"mcpServers":{"all":{"command":"of local"}}},"/q":{"mcpServers":{"other":{"command":"x"}}}},"oauthAccount":{"x":"SECRET"}}`
	project := `{"mcpServers":{"both":{"command":"of project"},"all":{"command":"of project"}}}`
	for name, test := range map[string]struct {
		home, project string
		want          []messages.McpServer
	}{
		"all levels": {home, project, []messages.McpServer{
			{Name: "all", Type: "stdio", Endpoint: "of local"}, {Name: "both", Type: "stdio", Endpoint: "of project"}, {Name: "user", Type: "sse", Endpoint: "http://u"},
		}},
		"no home":    {"", project, []messages.McpServer{{Name: "all", Type: "stdio", Endpoint: "of project"}, {Name: "both", Type: "stdio", Endpoint: "of project"}}},
		"no file":    {"", "", nil},
		"no servers": {"[]", `{"mcpServers":[]}`, nil},
	} {
		if got := ConfiguredServers([]byte(test.home), []byte(test.project), "/p"); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// FuzzServers: whatever a file contains, a bounded part is returned, and none of the part
// of an address in which secrets are.
func FuzzServers(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"type":"http","url":"https://u:p@h/x?y#z","headers":{"x":"y"}}}}`))
	f.Add([]byte(`{"mcpServers":{"a":{"command":"c","args":["x"]}},"projects":{"/p":{"mcpServers":{"b":{"type":"sse","url":"http://h"}}}}}`))
	f.Add([]byte(`{"mcpServers":{"a":7,"b":{"type":7},"c":null},"projects":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all := ConfiguredServers(raw, raw, "/p")
		if len(all) > maxReported {
			t.Errorf("%d servers", len(all))
		}
		for _, s := range all {
			if len(s.Name) > maxKey || len(s.Type) > maxKey || len(s.Endpoint) > maxCarried || strings.ContainsAny(s.Endpoint, "\n\x00") {
				t.Errorf("%+v", s)
			}
			if at := strings.Index(s.Endpoint, "://"); at >= 0 && s.Type != "stdio" && strings.ContainsAny(s.Endpoint[at+3:], "@?#") {
				t.Errorf("more than a host: %q", s.Endpoint)
			}
		}
	})
}
