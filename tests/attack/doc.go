// Attack drives the built daemon as an attacker does: an agent,
// a repository, another user, a client with too few rights. Each finding of a
// review is a case here, with its relatives; `make attack` runs them all and ends
// with
//
//	attack: cases=N held=N open=0
//
// and the number of cases that this user or system cannot try, if there are any.
//
// A [scenario] is one story in a world of its own: a daemon, its settings, and the
// real Claude Code with a scripted model, or the fake agent where the agent does
// not matter. Within it, each claim is one case ([siege.held]). A scenario that
// cannot come to its end counts as one open case. docs/security.md names the
// scenario that shows each of its claims.
//
// What the model does is said by the prompt (see script):
//
//	bash: COMMAND          calls Bash with that command, however many lines
//	write: PATH            calls Write with the content "attack"
//	edit: PATH OLD NEW     calls Edit
//	read: PATH             calls Read
//	say: TEXT              answers with text
//
// then says "Done: " and the result. A scenario with other needs brings a script.
package main
