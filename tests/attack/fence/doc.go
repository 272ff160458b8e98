// Package fence attacks the fence around an agent, from inside with commands and system calls, and
// with links in place of files that the daemon and the command line write.
package fence

import "slices"

// Scenarios lists the scenarios of this package in the order in which they start.
var Scenarios = slices.Concat(
	fencedScenarios, // a fenced agent, and directories that no fence can hold
	borderScenarios, // the border of a fence, and what it is built from
	callScenarios,   // system calls that a shell does not make
	linkScenarios,   // links in place of files that the daemon writes
)
