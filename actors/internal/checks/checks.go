package checks

import (
	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/workdir"
	"betcode/messages"
)

// Deps is what checks need of the system.
type Deps struct {
	Load        func(messages.SessionID) (messages.SessionLoaded, error) // reads a session from the journal
	Exists      func(messages.SessionID) bool                            // reports whether a session exists, even a damaged one
	Version     func() string                                            // the version of the agent's program, which it may run; empty = not known
	Rules       func() *rules.Set                                        // the present rules of the user
	Directories *workdir.Reviewer                                        // reviews the files of directories that agents obey
	Protected   *protect.List                                            // nil = nothing is protected
	Home        string                                                   // of the user, for rules
	Own         []string                                                 // the daemon's own directories
}

// Checks checks requests. It is safe for concurrent use.
type Checks struct{ deps Deps }

// New returns checks.
func New(d Deps) *Checks { return &Checks{d} }
