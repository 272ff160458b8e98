// Package callers attacks the API of the daemon: callers without the right, values that become
// options, too much and too often, and text that deceives the person who reads it.
package callers

import "slices"

// Scenarios lists the scenarios of this package in the order in which they start.
var Scenarios = slices.Concat(
	doorScenarios,   // values of callers that become options of the agent
	floodScenarios,  // too much, too often, too large
	rightScenarios,  // callers without the scope
	shownScenarios,  // text that deceives the person who reads it
	optionScenarios, // options of a session's agents
	http2Scenarios,  // the protocol below the calls
	guestScenarios,  // people with whom sessions are shared
	lockScenarios,   // the input lock
	repeatScenarios, // prompts that are repeated
	searchScenarios, // searches of all history
	listScenarios,   // lists of sessions
	noticeScenarios, // texts and settings of notifications
)
