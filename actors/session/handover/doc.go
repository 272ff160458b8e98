// Package handover keeps the rules of the daemon in an agent that runs.
//
// The agent decides many calls by itself: those that its mode or its own rules allow, and those that only read. So it gets the
// daemon's ask and deny rules and the built-in list:
//
//	at its start       on its command line, with the user's rules and the list
//	when rules change  by a control request, which adds to the command line
//	when it is idle    the session replaces it, if its command line has rules that no longer hold, or
//	                   the request was refused or is too long, or its version does not know the request
//
// An [Agent] is what one agent process has; it is over with the process. Methods take what holds at present ([Facts]) and return
// the line to be sent. They do no I/O. The session sends the line, takes the answer, and replaces the agent.
package handover
