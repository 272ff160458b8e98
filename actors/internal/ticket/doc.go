// Package ticket decides which process is the fleet server of a session: the MCP server through which an agent directs
// subagents.
//
// # Who owns what
//
// The system owns one [Registry]. A ticket is made when a run is planned, and passed in the agent's MCP configuration. The
// first process that presents it is its holder from then on: the ticket is bound to that process, by pid, start time and boot.
// The state of a ticket is a file in the run directory ([File]), which has the hash of the ticket, not the ticket.
//
// # What is promised
//
//   - A ticket is taken once, by a process below the agent of its run, before the agent is given its first message. The model
//     has not started any process then. [Registry.Await] is called before that message is written.
//   - The holder may present it as often as it calls. Every other process is refused, with the ticket or without.
//   - Of the refusals of one run the first is an alarm, unless the holder has ended: agents restart servers that ended.
//
// # On a crash
//
// The file is written before the holder is admitted. The next daemon reads it when the holder calls again.
package ticket
