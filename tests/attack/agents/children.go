package agents

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"betcode/tests/attack/siege"
)

// viewing are the published calls that an agent's children may make: they change nothing.
// Any other call has to be refused, one that is published later included.
var viewing = []string{
	"AccessService/GetCaller", "AccessService/ListMembers",
	"AdminService/ExplainPermission", "AdminService/ExportSession", "AdminService/GetTree", "AdminService/JournalStats",
	"AdminService/ListPermissions", "AdminService/RawOutput", "AdminService/Resolve", "AdminService/ShowSession",
	"AdminService/TestRules", "AdminService/VerifyJournal",
	"AgentService/ListSessionGrants", "AgentService/ListSessions", "AgentService/ResumeSession",
	"BetCodeHealth/GetHealthDetails",
	"CommandService/ExecuteServiceCommand", "CommandService/GetCommandRegistry", "CommandService/GetPluginStatus",
	"CommandService/ListAgents", "CommandService/ListPath", "CommandService/ListPlugins",
	"ConfigService/GetPermissions", "ConfigService/GetSettings", "ConfigService/ListMcpServers",
	"FleetService/GetFleet",
	"GitRepoService/GetBranch", "GitRepoService/GetRepo", "GitRepoService/ListBranches", "GitRepoService/ListRepos",
	"Health/Check", "Health/Watch",
	"SearchService/Digest", "SearchService/Search",
	"MachineService/GetMachine", "MachineService/ListMachines", "MachineService/SwitchMachine",
	"SubagentService/GetOrchestration", "SubagentService/ListOrchestrations",
	"SubagentService/ListSubagents", "SubagentService/WatchOrchestration", "SubagentService/WatchSubagent",
	"VersionService/GetVersion", "VersionService/NegotiateCapabilities",
	"WorktreeService/GetWorktree", "WorktreeService/ListWorktrees", "WorktreeService/WatchWorktreeSetup",
}

// changing are commands of an agent's child, after betcode --socket SOCKET.
var changing = []string{
	"fleet stop --reason attack", "fleet resume", "worktree create --create-branch attack", "worktree create --create-branch attack --path $PWD/attack",
	"worktree switch kept", "worktree setup kept", "worktree setup --cancel kept", "worktree remove kept", "worktree prune --days 0 --yes", "worktree remove --force --yes kept",
	"repo add $PWD", "repo scan $PWD",
	"subagent spawn @last attack", "subagent spawn @last attack --auto-approve --tool Bash",
	"session budget @last --usd 1000", "session budget @last --usd off",
	"gateway pair attack --scope admin", "gateway pair attack --shared --scope control", "gateway share @last attack --role editor", "gateway token --name attack",
	"token create attack --scope admin", "token revoke attack", "token list", "config set permissions.default_ttl 1h",
}

// attackChildren has children of an agent make every call that changes something: by command
// line, as orphans, with a copy of the program, and without any program of ours.
func attackChildren(s *siege.Siege) {
	for _, args := range [][]string{{"trust", "--yes", s.World.Project}, {"worktree", "create", "--create-branch", "kept"}} {
		if printed, code := s.Cli(args...); code != 0 {
			s.Fail("%s: %s", args[0], printed)
		}
	}
	before := s.Standing()
	c := s.Converse("a", siege.NewSession())
	var calls strings.Builder
	for i, args := range changing {
		fmt.Fprintf(&calls, "\"$betcode\" --socket %q %s >$1.%d 2>&1 </dev/null\n", s.World.Socket(), args, i)
	}
	fmt.Fprintf(&calls, "\"$probe\" call %q $1.raw 2>$1.err\ntouch $1.done\n", s.World.Socket())
	s.RunAsCallers(c, calls.String(), func(way, name string) {
		for n, args := range changing {
			out, _ := os.ReadFile(fmt.Sprintf("%s.%d", name, n))
			s.Held(way+" may only view: "+args, strings.Contains(string(out), "may only view"), "%s", out)
		}
		raw, err := os.ReadFile(name + ".raw")
		s.Must(err, "read the calls of "+way)
		refusedCalls(s, way, string(raw))
	})
	s.Held("nothing has changed", s.Standing() == before, "before: %s\nnow: %s", before, s.Standing())
	printed, code := s.Cli("worktree", "setup", "kept")
	s.Held("a person may do it", code == 0 && s.Standing() != before, "exit %d: %s", code, printed)
}

// refusedCalls judges each call of a probe.
func refusedCalls(s *siege.Siege, way, raw string) {
	lines := strings.Split(strings.TrimSpace(raw), "\n")
	if len(lines) < len(viewing) {
		s.Fail("%s made %d calls only", way, len(lines))
	}
	for _, line := range lines {
		method, said, _ := strings.Cut(line, "\t")
		view := slices.Contains(viewing, strings.TrimPrefix(method, "/betcode.v1."))
		s.Held(way+" calls "+method, view != strings.Contains(said, "may only view"), "%s", said)
	}
}
