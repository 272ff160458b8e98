package doctor

import (
	"strings"

	"betcode/cmd/betcode/internal/agentprogram"
	"betcode/messages/claudecode"
)

func agentPath(f Facts) Finding {
	a := f.Agent
	switch {
	case a.Path != "":
		return ok("%s", a.Path)
	case a.Variable != "":
		return found(Problem, "unset "+a.Variable, "%s says %s, which cannot be run: %v", a.Variable, a.Program, a.Err)
	case strings.ContainsAny(a.Program, `/\`):
		return found(Problem, "betcode config set agent.path claude", "%s is no executable: %v", a.Program, a.Err)
	}
	return found(Problem, agentprogram.InstallCommand, "%s is in no directory of PATH (%s)", a.Program, a.Search)
}

func agentVersion(f Facts) Finding {
	a := f.Agent
	switch {
	case a.Path == "":
		return ok("no agent to ask")
	case a.Version == "":
		return found(Problem, a.Path+" --version", "the agent does not tell its version: %v", a.Err)
	case a.Grade == claudecode.Incompatible:
		return found(Problem, claudecode.UpgradeCommand(), "Claude Code %s is not supported; %s is the oldest that is", a.Version, claudecode.Oldest())
	case claudecode.Advice(a.Version) != "":
		return found(Warning, claudecode.UpgradeCommand(), "%s", claudecode.Advice(a.Version))
	}
	return ok("Claude Code %s", a.Version)
}

func login(f Facts) Finding {
	switch l := f.Login; {
	case l.Variable != "":
		return ok("%s is set; a daemon has the environment with which it was started", l.Variable)
	case l.File != "":
		return ok("there is a login in %s", l.File)
	case l.Hidden:
		return found(Note, "claude auth status", "the system keeps logins of Claude Code; this program cannot look there")
	}
	return found(Problem, "claude /login", "Claude Code is not logged in, and no variable has a key")
}
