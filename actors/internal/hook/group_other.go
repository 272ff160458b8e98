//go:build !unix

package hook

import "os/exec"

// together does nothing on systems without process groups: only the program
// itself is ended.
func together(*exec.Cmd) {}
