//go:build !unix

package process

import "betcode/messages"

// Status is the exit code of a run; there are no signals on this system.
func Status(e messages.Exit) int { return e.Code }
