package launchplan

import (
	"maps"
	"path/filepath"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/git"
	"betcode/actors/internal/process"
	"betcode/actors/internal/workdir"
	"betcode/actors/settings"
	"betcode/messages"
)

// Deps is what a [Planner] needs.
type Deps struct {
	Program     string                    // the agent's executable; looked up in PATH when it has no slash
	Inherited   []string                  // the variables that agents inherit, as "NAME=value"
	Version     func() string             // the version of Program, which it may run; nil or empty = not known
	Lease       string                    // a file that the daemon keeps locked; empty = none
	Runs        string                    // the directory with the run directories of all sessions
	Home        string                    // of the user; empty = not known
	Protected   []string                  // the daemon's own directories
	Settings    func() *settings.Settings // the present ones
	Directories *workdir.Reviewer         // decides how much of its directory an agent obeys
	Cgroups     process.Cgroups           // of agents

	EnableMemory func() error // makes it possible to limit the memory of agents; the error is the reason why it is not

	Executable string                                                                   // of the fleet server; empty = there is none
	Socket     string                                                                   // on which the daemon serves it
	Ticket     func(session messages.SessionID, run messages.RunNumber) (string, error) // makes the ticket of a run; needed with Executable
}

// Planner plans starts of agents. It is safe for concurrent use.
type Planner struct{ deps Deps }

// New returns a planner.
func New(d Deps) *Planner { return &Planner{d} }

// Spec returns the process to start for a run. With resume it continues an interrupted turn. The executable is looked up, and
// secrets are taken from the environment, by this call: neither is ever stored.
func (p *Planner) Spec(session messages.SessionRecord, run messages.RunRecord, resume bool) (process.Spec, error) {
	program, err := lookUp(p.deps.Program)
	if err != nil {
		return process.Spec{}, &process.StartError{Stage: process.StageExecute, Path: p.deps.Program, Err: err}
	}
	added, err := claude.Environ(claude.Env{ResumeTurn: resume})
	if err != nil {
		return process.Spec{}, err
	}
	var lease process.Lease
	if p.deps.Lease != "" {
		lease = process.LeaseOn(p.deps.Lease)
	}
	env := append(p.Environment(run.Environment), added...)
	env = append(env, git.ExplicitBareRepositories(env)...)
	spec := process.Spec{
		Directory: run.Directory, Lease: lease, Program: program, Argv: run.Argv, Dir: session.WorkingDirectory,
		Env: env, Token: run.Token, Cgroup: p.deps.Cgroups.For(run.Directory),
	}
	if most := p.deps.Settings().MemoryMax; most > 0 && p.deps.EnableMemory() == nil { // otherwise health reports it, and there is no limit
		spec.MemoryMax = most
	}
	err = p.fence(&spec, session, run)
	return spec, err
}

// Environment returns the environment of an agent: the inherited one, and the variables that its session keeps, which take precedence.
func (p *Planner) Environment(kept map[string]string) []string {
	all := slices.Clone(p.deps.Inherited)
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		all = append(all, name+"="+kept[name])
	}
	return all
}

// Temporary returns the directory for the temporary files of a session's fenced agent. Its path is short,
// because agents make sockets there.
func (p *Planner) Temporary(session messages.SessionID) string {
	return filepath.Join(filepath.Dir(p.deps.Runs), "tmp", string(session[:min(len(session), 8)]))
}

// Version returns the version of the agent's program, empty if it is not known. It may run the program,
// so only workers call it.
func (p *Planner) Version() string {
	if p.deps.Version == nil {
		return ""
	}
	return p.deps.Version()
}
