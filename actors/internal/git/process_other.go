//go:build !unix

package git

import (
	"context"
	"os/exec"
)

// OwnGroup does nothing on this platform.
func OwnGroup(*exec.Cmd) {}

// EndGroup does nothing on this platform.
func EndGroup(*exec.Cmd) {}

// Lock does nothing on this platform: no daemon runs agents here.
type Lock struct{}

// TakeLock returns at once.
func TakeLock(context.Context, string) (*Lock, error) { return &Lock{}, nil }

// Release does nothing.
func (*Lock) Release() {}

// Inherit does nothing.
func (*Lock) Inherit(*exec.Cmd) {}
