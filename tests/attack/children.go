package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
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

// callers are ways in which a child comes to run a script: $1 is the script, $2 the name of its
// output, $betcode and $probe are programs.
var callers = [][2]string{
	{"a child", `sh $1 $2`},
	{"an orphan with a clean environment", `( (env -i PATH="$PATH" HOME="$HOME" betcode="$betcode" probe="$probe" setsid sh $1 $2 &) & )`},
	{"a copy of the program", `cp "$betcode" ./innocent && betcode=./innocent sh $1 $2`},
	{"a copy started by an orphan", `cp "$betcode" ./sh2 && ( (env -i PATH="$PATH" HOME="$HOME" betcode=./sh2 probe="$probe" setsid sh $1 $2 &) & )`},
}

// setUpRepository makes the project a repository whose setup leaves a mark each time it runs.
func setUpRepository(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	s.write(s.project(".betcode/worktree-setup.sh"), "echo ran >>"+s.mark("setup")+"\n")
	s.write(s.project("a"), "a\n")
	s.git(s.world.Project, "init", "-q")
	s.git(s.world.Project, "add", ".")
	s.git(s.world.Project, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first")
}

// attackChildren has children of an agent make every call that changes something: by command
// line, as orphans, with a copy of the program, and without any program of ours.
func attackChildren(s *siege) {
	for _, args := range [][]string{{"trust", "--yes", s.world.Project}, {"worktree", "create", "--create-branch", "kept"}} {
		if printed, code := s.cli(args...); code != 0 {
			s.fail("%s: %s", args[0], printed)
		}
	}
	before := s.standing()
	c := s.converse("a", session())
	var calls, start strings.Builder
	for i, args := range changing {
		fmt.Fprintf(&calls, "\"$betcode\" --socket %q %s >$1.%d 2>&1 </dev/null\n", s.world.Socket(), args, i)
	}
	fmt.Fprintf(&calls, "\"$probe\" call %q $1.raw 2>$1.err\ntouch $1.done\n", s.world.Socket())
	s.write(s.project("call.sh"), calls.String())
	fmt.Fprintf(&start, "export betcode=%q probe=%q\n", s.world.Binary, s.built.probe)
	for i, way := range callers {
		fmt.Fprintf(&start, "set -- call.sh %d\n%s </dev/null >/dev/null 2>&1\n", i, way[1])
	}
	s.write(s.project("start.sh"), start.String())
	s.runTurn(c, "run:sh start.sh")
	for i, way := range callers {
		name := s.project(fmt.Sprint(i))
		if !s.becomes(func() bool { return s.exists(name + ".done") }) {
			s.fail("%s does not come to its end", way[0])
		}
		for n, args := range changing {
			out, _ := os.ReadFile(fmt.Sprintf("%s.%d", name, n))
			s.held(way[0]+" may only view: "+args, strings.Contains(string(out), "may only view"), "%s", out)
		}
		raw, err := os.ReadFile(name + ".raw")
		s.must(err, "read the calls of "+way[0])
		s.refusedCalls(way[0], string(raw))
	}
	s.held("nothing has changed", s.standing() == before, "before: %s\nnow: %s", before, s.standing())
	printed, code := s.cli("worktree", "setup", "kept")
	s.held("a person may do it", code == 0 && s.standing() != before, "exit %d: %s", code, printed)
}

// refusedCalls judges each call of a probe.
func (s *siege) refusedCalls(way, raw string) {
	lines := strings.Split(strings.TrimSpace(raw), "\n")
	if len(lines) < len(viewing) {
		s.fail("%s made %d calls only", way, len(lines))
	}
	for _, line := range lines {
		method, said, _ := strings.Cut(line, "\t")
		view := slices.Contains(viewing, strings.TrimPrefix(method, "/betcode.v1."))
		s.held(way+" calls "+method, view != strings.Contains(said, "may only view"), "%s", said)
	}
}

// standing is what the calls would change: the fleet, the worktrees, and how often setups ran.
func (s *siege) standing() string {
	fleet, err := pb.NewFleetServiceClient(s.daemon.Conn()).GetFleet(s, &pb.GetFleetRequest{})
	s.must(err, "look at the fleet")
	list, err := pb.NewWorktreeServiceClient(s.daemon.Conn()).ListWorktrees(s, &pb.ListWorktreesRequest{})
	s.must(err, "list worktrees")
	text := fmt.Sprintf("stopped %t;", fleet.GetFleet().GetStopped())
	for _, w := range list.GetWorktrees() {
		text += fmt.Sprintf(" %s active %t;", w.GetName(), w.GetActive())
	}
	beside, err := filepath.Glob(s.world.Project + "*")
	s.must(err, "look beside the project")
	marks, _ := os.ReadFile(s.mark("setup"))
	return fmt.Sprintf("%s %d setups; beside the project: %v", text, strings.Count(string(marks), "ran"), beside)
}
