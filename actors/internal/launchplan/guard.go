package launchplan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/mcpconfig"
	"betcode/actors/run"
	"betcode/messages"
)

// Guard decides how much of its directory a new agent obeys, writes that into the run directory for the
// daemon that adopts the agent, and returns the command line and additional variables of the environment.
func (p *Planner) Guard(session messages.SessionRecord, record messages.RunRecord) (argv, env []string, err error) {
	environment := p.Environment(record.Environment)
	restriction := claude.Restriction{
		Strict:   record.Options.OnlyServers,
		HooksOff: claude.HooksOff(mcpconfig.Read(filepath.Join(claude.Home(environment), "settings.json"))),
	}
	if !p.deps.Directories.Known() {
		argv, err = p.handServers(session, record, restriction, environment)
		return argv, nil, err
	}
	guard := p.deps.Directories.GuardAtStart(session.WorkingDirectory, record.Options.Directories, environment)
	text, err := json.Marshal(guard)
	if err != nil {
		return nil, nil, fmt.Errorf("write %s: %w", run.GuardFile, err)
	}
	if err := os.WriteFile(filepath.Join(record.Directory, run.GuardFile), text, 0o600); err != nil {
		return nil, nil, err
	}
	if guard.Mode != messages.GuardOff {
		restriction.Guarded, restriction.Strict, restriction.Ask = true, restriction.Strict || guard.Restricted(), guard.Ask
		env = claude.RestrictEnviron(environment, claude.Restriction{Strict: guard.Restricted()})
	}
	argv, err = p.handServers(session, record, restriction, environment)
	return argv, env, err
}

// handServers writes the MCP servers of an agent into a file of its run, and returns the command line. They are the
// user's own, if the agent is kept from finding them itself, those of its session, which
// take precedence over others of the same name, and the fleet server, whose name is reserved.
func (p *Planner) handServers(session messages.SessionRecord, record messages.RunRecord, r claude.Restriction, environment []string) ([]string, error) {
	var servers []byte
	if r.Guarded && !record.Options.OnlyServers {
		servers = claude.OwnServers(mcpconfig.Read(claude.Memory(environment)), r.Strict, projectsOf(session.WorkingDirectory)...)
	}
	fleet, err := p.fleetServer(record)
	if err != nil {
		return nil, err
	}
	if servers = claude.MergeServers(servers, record.Options.Servers, fleet); servers != nil {
		r.Servers = filepath.Join(record.Directory, run.ServersFile)
		if err := os.WriteFile(r.Servers, servers, 0o600); err != nil {
			return nil, err
		}
	}
	return claude.Restrict(record.Argv, r), nil
}

// projectsOf returns the names under which the agent stores the user's settings of
// a directory: the directory, and the root of the git repository it is in.
func projectsOf(directory string) []string {
	names := []string{directory}
	for at := directory; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return append(names, at)
		}
		if filepath.Dir(at) == at {
			return names
		}
	}
}
