package cli

import (
	"slices"
	"testing"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
)

func TestCandidates(t *testing.T) {
	app := (&program{&base.Program{Console: &console.Console{}}}).app()
	live := func(kind string) []candidate {
		return map[string][]candidate{
			"SESSION": {{"web", ""}, {"3f2a", ""}, {"-x", ""}}, "REQUEST": {{"--yes", ""}, {"r1", ""}},
			"WORKTREE": {{"auth", ""}}, "ORCHESTRATION": {{"5e0a", ""}}, "SETTING": {{"agent.fence", ""}}, "STATE": {{"waiting", ""}},
		}[kind]
	}
	for _, test := range []struct{ words, want []string }{
		{[]string{"att"}, []string{"attach"}},
		{[]string{"session", "de"}, []string{"delete"}},
		{[]string{"daemon", "hand"}, nil}, // hidden
		{[]string{"help", "att"}, []string{"attach"}},
		{[]string{"help", "session", "de"}, []string{"delete"}},
		{[]string{"session", "help", "de"}, []string{"delete"}},
		{[]string{"run", "help", ""}, nil}, // a prompt
		{[]string{"attach", ""}, []string{"web", "3f2a"}},
		{[]string{"attach", "w"}, []string{"web"}},
		{[]string{"attach", "web", ""}, nil}, // it takes one
		{[]string{"stop", "web", ""}, []string{"web", "3f2a"}},
		{[]string{"run", "-r", ""}, []string{"web", "3f2a"}},
		{[]string{"commands", "run", "--session=w"}, []string{"--session=web"}},
		{[]string{"commands", "run", "--model=w"}, nil},
		{[]string{"run", "--model", ""}, nil},
		{[]string{"permission", "allow", ""}, []string{"r1"}},
		{[]string{"worktree", "remove", ""}, []string{"auth"}},
		{[]string{"chat", "--worktree", ""}, []string{"auth"}},
		{[]string{"orchestrate", "show", ""}, []string{"5e0a"}},
		{[]string{"config", "get", "agent."}, []string{"agent.fence"}},
		{[]string{"config", "set", ""}, []string{"agent.fence"}},
		{[]string{"config", "set", "agent.fence", ""}, nil},
		{[]string{"config", "unset", ""}, []string{"agent.fence"}},
		{[]string{"ps", "--status", ""}, []string{"waiting"}},
		{[]string{"ps", "--state", ""}, []string{"waiting"}},
		{[]string{"search", "--state", ""}, []string{"waiting"}},
		{[]string{"gitlab", "mrs", "--state", ""}, []string{"opened", "closed", "merged", "locked"}},
		{[]string{"gitlab", "pipelines", "--state", ""}, nil},
		{[]string{"subagent", "list", "--state", "c"}, []string{"completed", "cancelled"}},
		{[]string{"run", "--effort", ""}, []string{"low", "medium", "high", "xhigh", "max"}},
		{[]string{"run", "--output-format", "s"}, []string{"stream-json"}},
		{[]string{"run", "--lease", ""}, []string{"exclusive", "shared", "none"}},
		{[]string{"run", "--permissions", ""}, []string{"ask", "allow", "deny"}},
		{[]string{"session", "wait", "--for", ""}, []string{"idle", "waiting", "done"}},
		{[]string{"attach", "--history", ""}, []string{"full", "pending", "none"}},
		{[]string{"search", "--sort", ""}, []string{"relevance", "time"}},
		{[]string{"run", "--permission-mode", ""}, nil},
		{[]string{"permission", "list", "--no-h"}, []string{"--no-headers"}},
		{[]string{"events", "--so"}, nil}, // hidden
		{[]string{"--sock"}, []string{"--socket"}},
		{[]string{"--socket", "/s", "attach", "w"}, []string{"web"}},
		{[]string{"session", "show", "--json", "w"}, []string{"web"}},
	} {
		var got []string
		for _, f := range candidates(app, test.words, live) {
			got = append(got, f.value)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.words, got, test.want)
		}
	}
}
