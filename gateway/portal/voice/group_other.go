//go:build !unix

package voice

import "os/exec"

// together does nothing where there are no process groups: only the program itself is ended.
func together(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

// brokenPipe reports whether the program reads no more audio, which it need not: any failed write is taken for that.
func brokenPipe(error) bool { return true }
