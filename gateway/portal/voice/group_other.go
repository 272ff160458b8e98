//go:build !unix

package voice

import "os/exec"

// together does nothing, since this system has no process groups: only the program itself is ended.
func together(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

// brokenPipe reports whether the program reads no more audio, which is allowed. Here every failed write counts as that.
func brokenPipe(error) bool { return true }
