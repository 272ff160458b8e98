package callers

import (
	"strings"

	"betcode/tests/attack/siege"
)

// doorScenarios attack the claims of docs/security.md about doors.
var doorScenarios = []siege.Scenario{
	{Name: "doors: values that are options", Attack: attackArguments},
	{Name: "doors: audit of nothing", Attack: attackAuditTypes},
}

// attackArguments gives a model and tools that the agent would read as options.
func attackArguments(s *siege.Siege) {
	for name, flags := range map[string][]string{
		"model behind a space":          {"--model", " -x"},
		"model behind NBSP":             {"--model", "\u00a0--x"},
		"model behind zero width":       {"--model", "\u200b-x"},
		"allowed tool behind a space":   {"--allow-tools", " --x"},
		"denied tool behind a wide one": {"--deny-tools", "\u2003--x"},
	} {
		printed, code := s.Cli(append(append([]string{"run"}, flags...), "hello")...)
		s.Held(name, code == 5 && !strings.Contains(s.Daemon.Log(), "panic"), "exit %d: %s", code, printed)
	}
}

// attackAuditTypes asks for entries that cannot be: an empty answer would look like a
// clean log.
func attackAuditTypes(s *siege.Siege) {
	printed, code := s.Cli("audit", "--type", "nonsense")
	s.Held("an unknown type is refused", code == 5 && strings.Contains(printed, "permission_grant"), "exit %d: %s", code, printed)
}
