// Package siege plays attacks on the built daemon.
//
// A [Scenario] is one story in a world of its own: a daemon, its settings, and the real Claude Code with a scripted
// model, or the fake agent where the agent does not matter. Within it, each claim is one case ([Siege.Held]). A
// scenario that cannot finish counts as one open case.
//
// The prompt determines what the model does:
//
//	bash: COMMAND          calls Bash with that command, however many lines
//	write: PATH            calls Write with the content "attack"
//	edit: PATH OLD NEW     calls Edit
//	read: PATH             calls Read
//	say: TEXT              answers with text
//
// then answers "Done: " with the result. Other scenarios have a script of their own.
//
// A [Siege] is a running scenario. Its methods call the daemon, wait for events and inspect the world; they end the
// scenario when something other than a case fails.
package siege
