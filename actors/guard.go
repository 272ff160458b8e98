package actors

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/mcpconfig"
	"betcode/actors/run"
	"betcode/messages"
)

// guard decides how much of its directory a new agent obeys, writes that down beside
// the run for the daemon that adopts it, and returns the command line and what is added to the
// environment. The directory is looked at immediately before each start, so trust that was lost
// counts from then on.
func (s *System) guard(session messages.SessionRecord, record messages.RunRecord) (argv, env []string, err error) {
	environment := s.environment(record.Environment)
	restriction := claude.Restriction{Strict: record.Options.OnlyServers}
	if s.options.Directories == nil {
		argv, err = s.handServers(session, record, restriction, environment)
		return argv, nil, err
	}
	review, err := s.review(session.WorkingDirectory, record.Options.Directories, environment)
	if err != nil { // nobody knows what is trusted
		review = messages.DirectoryReview{Problems: []string{err.Error()}}
	}
	guard := guardOf(review)
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
	argv, err = s.handServers(session, record, restriction, environment)
	return argv, env, err
}

// handServers writes the MCP servers that an agent is given into a file of its run, and
// returns the command line: the user's own where it is kept from finding them itself, and
// those of its session, which win over others of the same name.
func (s *System) handServers(session messages.SessionRecord, record messages.RunRecord, r claude.Restriction, environment []string) ([]string, error) {
	var servers []byte
	if r.Guarded && !record.Options.OnlyServers {
		servers = claude.OwnServers(mcpconfig.Read(claude.Memory(environment)), r.Strict, projectsOf(session.WorkingDirectory)...)
	}
	if servers = claude.MergeServers(servers, record.Options.Servers); servers != nil {
		r.Servers = filepath.Join(record.Directory, run.ServersFile)
		if err := os.WriteFile(r.Servers, servers, 0o600); err != nil {
			return nil, err
		}
	}
	return claude.Restrict(record.Argv, r), nil
}

// presentGuard returns how an agent in a directory would be restricted now. With search, it looks below the directory as well.
func (s *System) presentGuard(directory string, added, environment []string, search bool) (messages.Guard, error) {
	if search {
		for _, dir := range append([]string{directory}, added...) {
			s.options.Directories.Search(dir)
		}
	}
	review, err := s.review(directory, added, environment)
	return guardOf(review), err
}

// guardOf is the restriction that follows from a review.
func guardOf(r messages.DirectoryReview) messages.Guard {
	guard := messages.Guard{Digest: r.Digest, Ask: r.Ask}
	switch {
	case r.Empty:
		guard.Mode = messages.GuardQuiet
	case !r.Trusted:
		guard.Mode, guard.Withheld, guard.Problems = messages.GuardStrict, withoutSecrets(r.Findings), r.Problems
	}
	return guard
}

// withoutSecrets leaves out what may be a secret: values of variables, and arguments
// of servers. What is withheld is shown to everybody who may view the session.
func withoutSecrets(findings []messages.DirectoryFinding) []messages.DirectoryFinding {
	out := slices.Clone(findings)
	for i, f := range out {
		switch f.Kind {
		case "env":
			out[i].Text, _, _ = strings.Cut(f.Text, "=")
		case "server":
			name, command, _ := strings.Cut(f.Text, ": ")
			if program, _, _ := strings.Cut(command, " "); !strings.ContainsAny(program, "{@?") {
				name += ": " + program
			}
			out[i].Text = name
		case "setting", "helper":
			out[i].Text, _, _ = strings.Cut(f.Text, ":")
		case "git":
			out[i].Text, _, _ = strings.Cut(f.Text, " =")
		}
	}
	return out
}

// projectsOf are the names under which the agent keeps what the user has told it about
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
