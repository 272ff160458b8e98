// Package siege plays attacks on the built daemon.
//
// A [Scenario] is one story in a world of its own: a daemon, its settings, and the real Claude Code
// with a scripted model, or the fake agent where the agent does not matter. Within it, each claim is
// one case ([Siege.Held]). A scenario that cannot come to its end counts as one open case.
//
// What the model does is said by the prompt:
//
//	bash: COMMAND          calls Bash with that command, however many lines
//	write: PATH            calls Write with the content "attack"
//	edit: PATH OLD NEW     calls Edit
//	read: PATH             calls Read
//	say: TEXT              answers with text
//
// then says "Done: " and the result. A scenario with other needs brings a script.
//
// A [Siege] is a scenario under way. Its methods talk to the daemon, wait for events and look at the
// world; they end the scenario when something other than a case fails.
package siege
