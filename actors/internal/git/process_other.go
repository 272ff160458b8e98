//go:build !unix

package git

import (
	"context"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}
func endGroup(*exec.Cmd) {}

// Lock does nothing on this platform: no daemon runs agents here.
type Lock struct{}

// TakeLock returns at once.
func TakeLock(context.Context, string) (*Lock, error) { return &Lock{}, nil }

// Release does nothing.
func (*Lock) Release() {}

func (*Lock) inherit(*exec.Cmd) {}
