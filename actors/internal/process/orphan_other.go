//go:build !unix

package process

import (
	"context"

	"betcode/messages"
)

// Orphan is a run whose agent lives; there are none on this system.
type Orphan struct {
	Directory       string
	Agent, Launcher messages.ProcessIdentity
}

// FindOrphans finds nothing on this system.
func FindOrphans(string) []Orphan { return nil }

// Is is false on this system.
func (Orphan) Is(*messages.RunRecord) bool { return false }

// End is not implemented on this system.
func (Orphan) End(context.Context) error { return unimplemented("end agent") }
