package trust

import (
	"path/filepath"
	"slices"
	"strings"
)

// Place has the directories that [Inspect] reads.
type Place struct {
	Directory string // working directory of the agent, absolute
	// Own is the agent's configuration directory, usually ~/.claude. Its settings, commands, skills
	// and agents are the user's own and not reported.
	Own string
	// Nested are directories below Directory whose skills the agent loads as well, see [Nested].
	Nested []string
	// Unseen lists what the search for them could not see. It becomes part of the report's problems.
	Unseen []Problem
}

// Files of a ".claude" directory that an agent obeys.
const (
	settingsFile = "settings.json"
	localFile    = "settings.local.json"
	serversFile  = ".mcp.json"
	tasksFile    = "scheduled_tasks.json"
	folder       = ".claude"
)

// folders lists the folders of a ".claude" directory whose files an agent obeys, or other files may run.
var folders = []string{"commands", "skills", "agents", "hooks", "plugins", "workflows"}

// Inspect reports what an agent in a directory would obey.
//
// Claude Code 2.1.328 reads .mcp.json in every directory up to the root of the filesystem; settings
// of the working directory and, the local ones, of the git root; commands, skills and agents of
// every directory up to the git root, or up to the home directory outside of repositories; and it
// follows ".git" files to the main working tree (seen with strace). Inspect reports all of it from
// every directory above, since versions differ in where they stop. From directories below, it
// reports the skills in Place.Nested.
func Inspect(p Place) Report {
	dir := resolved(p.Directory)
	in := inspector{report: Report{Directory: dir, Files: map[string]string{}}, own: resolved(p.Own)}
	for at := dir; ; at = filepath.Dir(at) {
		git := in.gitAt(at)
		in.bare(at)
		in.servers(filepath.Join(at, serversFile))
		in.claude(at, at == dir || git)
		if at == dir || git {
			in.worktreeSetup(at)
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	for _, at := range p.Nested {
		in.tree(at, skills, 0)
	}
	for _, p := range p.Unseen {
		in.problem(p.Path, p.Reason)
	}
	slices.SortStableFunc(in.report.Findings, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return in.report
}

// inspector collects a report.
type inspector struct {
	report Report
	own    string
	count  int   // files so far
	bytes  int64 // read so far
	full   bool  // a limit was reached and reported

	includes int // files of git settings that others include
}

// claude reports the ".claude" directory of a directory. It skips the user's own configuration,
// except the local settings of a project root.
func (in *inspector) claude(dir string, root bool) {
	at := filepath.Join(dir, folder)
	own := in.own != "" && resolved(at) == in.own
	if !in.present(at) || own && !root {
		return
	}
	in.settings(filepath.Join(at, localFile))
	if own {
		return
	}
	in.settings(filepath.Join(at, settingsFile))
	in.tasks(filepath.Join(at, tasksFile))
	for _, name := range folders {
		in.tree(filepath.Join(at, name), name, 0)
	}
}

// setupScript prepares new worktrees of a repository, below its root. The daemon runs it.
const setupScript = ".betcode/worktree-setup.sh"

// worktreeSetup reports the script that prepares new worktrees.
func (in *inspector) worktreeSetup(root string) {
	path := filepath.Join(root, filepath.FromSlash(setupScript))
	if _, ok := in.read(path); ok {
		in.find(Finding{Hook, path, "runs in new worktrees"})
	}
}

// resolved returns a path with symbolic links resolved, or the cleaned path if it does not exist.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return filepath.Clean(path)
}
