//go:build !unix

package process

import (
	"context"

	"betcode/messages"
)

// Stray is a run whose agent lives; there are none on this system.
type Stray struct {
	Directory       string
	Agent, Launcher messages.ProcessIdentity
}

// FindStrays finds nothing on this system.
func FindStrays(string) []Stray { return nil }

// Is is false on this system.
func (Stray) Is(*messages.RunRecord) bool { return false }

// End is not implemented on this system.
func (Stray) End(context.Context) error { return unimplemented("end agent") }
