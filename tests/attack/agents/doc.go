// Package agents attacks with the processes of an agent: they approve its requests, leave it to pass
// for a person, forge its messages, and use its fleet server.
package agents

import "slices"

// Scenarios lists the scenarios of this package in the order in which they start.
var Scenarios = slices.Concat(
	approvalScenarios,    // agents that approve themselves
	reachScenarios,       // how they connect
	leavingScenarios,     // agents that pass for other callers
	forgedScenarios,      // messages that a child of the agent forges
	forwardedScenarios,   // requests of subagents that are shown elsewhere
	fleetServerScenarios, // children that pass for the fleet server of their agent
	transcriptScenarios,  // records that an agent writes into its transcript
	socketScenarios,      // what they do to the daemon's socket and its directory
)
