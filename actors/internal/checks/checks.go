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
	Exists      func(messages.SessionID) bool                            // whether a session exists; one that is damaged does
	Version     func() string                                            // of the agent's program; it may run the program; empty = not known
	Rules       func() *rules.Set                                        // the present rules of the user
	Directories *workdir.Reviewer                                        // what directories bring along
	Protected   *protect.List                                            // nil = nothing is protected
	Home        string                                                   // of the user, for rules
	Own         []string                                                 // the daemon's own directories
}

// Checks checks requests. It is safe for concurrent use.
type Checks struct{ deps Deps }

// New returns checks.
func New(d Deps) *Checks { return &Checks{d} }
