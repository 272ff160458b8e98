//go:build !unix

package hook

import "os/exec"

// together does nothing where there are no process groups: only the program
// itself is ended.
func together(*exec.Cmd) {}
