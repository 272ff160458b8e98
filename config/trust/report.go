package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Kind is the effect of a [Finding] on an agent.
type Kind string

// The kinds of findings.
const (
	Hook    Kind = "hook"    // a command that runs at an event of the agent
	Server  Kind = "server"  // an MCP server that is started
	Allow   Kind = "allow"   // a permission that is granted without asking
	Env     Kind = "env"     // a variable of the agent's environment
	Helper  Kind = "helper"  // a command that the agent runs for itself
	Setting Kind = "setting" // any other setting
	Shell   Kind = "shell"   // a shell command inside a slash command or a skill
	Prompt  Kind = "prompt"  // a slash command, skill or subagent without a shell command
	File    Kind = "file"    // a file that other files may run
	Git     Kind = "git"     // a program that git runs while it reads
	Task    Kind = "task"    // a scheduled prompt of the agent
	Broken  Kind = "broken"  // a settings file that is not JSON
)

// Finding is one thing in a file that an agent would obey.
type Finding struct {
	Kind Kind   `json:"kind"`
	Path string `json:"-"`    // absolute, of the file
	Text string `json:"text"` // one line, not escaped for terminals; at most [maxText] bytes
}

// Problem is a reason why a directory cannot be trusted.
type Problem struct {
	Path, Reason string
}

// String returns "path: reason".
func (p Problem) String() string { return p.Path + ": " + p.Reason }

// Report is what an agent in a directory would obey.
type Report struct {
	Directory string            // absolute, behind symbolic links
	Files     map[string]string // path to SHA-256 of the content, in hexadecimal
	Findings  []Finding         // sorted by path, in the order of the file
	Problems  []Problem

	// Of a linked git worktree, and of the main working tree of a repository.
	Worktree   string // its root; empty outside of repositories
	Repository string // the common git directory; empty if it does not know Worktree
}

// Empty reports whether the directory has nothing that an agent would obey.
func (r Report) Empty() bool { return len(r.Files) == 0 && len(r.Problems) == 0 }

// Has reports whether there is a finding of a kind.
func (r Report) Has(kind Kind) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind == kind })
}

// Digest identifies the content of the report, so that a person trusts exactly what was reviewed.
func (r Report) Digest() string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		fmt.Fprintf(h, "%q %s\n", path, r.Files[path])
	}
	for _, p := range r.Problems {
		fmt.Fprintf(h, "%q %q\n", p.Path, p.Reason)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// of returns the findings of one file.
func (r Report) of(path string) []Finding {
	var found []Finding
	for _, f := range r.Findings {
		if f.Path == path {
			found = append(found, f)
		}
	}
	return found
}
