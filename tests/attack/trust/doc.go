// Package trust attacks with files that an agent or the daemon reads: settings, hooks and servers of
// directories that no person has trusted, repositories, worktrees, and files without an end.
package trust

import "slices"

// Scenarios lists the scenarios of this package in the order in which they start.
var Scenarios = slices.Concat(
	trustScenarios,      // settings of directories that are not trusted
	nestedScenarios,     // directories below that of a session
	repositoryScenarios, // repositories beside the agent's, and programs in settings of git
	worktreeScenarios,   // what the daemon does with repositories on its own
	duringScenarios,     // files that change while the agent works
	endlessScenarios,    // files that have no end
)
