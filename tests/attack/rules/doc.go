// Package rules attacks the rules of a person and the modes of the agent: commands that pass an
// allow rule or avoid a deny rule, protected files under every grant and under their other names,
// and agents that write the rules by which the daemon judges them.
package rules

import "slices"

// Scenarios lists the scenarios of this package in the order in which they start.
var Scenarios = slices.Concat(
	ruleScenarios,    // allow, ask and deny rules, one command at a time
	protectScenarios, // protected files, under grants and modes
	modeScenarios,    // permission modes in which Claude Code decides by itself
	approveScenarios, // agents that write the rules by which they are judged
	hardScenarios,    // other names of protected files
	nameScenarios,    // names of tools
	honourScenarios,  // the table of modes, as the pinned Claude Code obeys it
)
