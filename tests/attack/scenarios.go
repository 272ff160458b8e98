package main

import (
	"slices"

	"betcode/tests/attack/agents"
	"betcode/tests/attack/callers"
	"betcode/tests/attack/commands"
	"betcode/tests/attack/fence"
	"betcode/tests/attack/gateways"
	"betcode/tests/attack/rules"
	"betcode/tests/attack/trust"
)

// scenarios lists all of them in the order in which they start.
var scenarios = slices.Concat(
	rules.Scenarios,    // rules of a person, modes of the agent, protected files
	trust.Scenarios,    // settings and repositories that no person has trusted
	fence.Scenarios,    // the fence around an agent
	agents.Scenarios,   // processes of an agent that pass for others
	callers.Scenarios,  // callers of the API: rights, values, floods, texts
	commands.Scenarios, // files that the command line reads and writes
	gateways.Scenarios, // the agent socket, the portal, proxies
)
