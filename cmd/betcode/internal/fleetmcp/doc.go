// Package fleetmcp is the fleet server: the MCP server through which an agent starts subagents and directs them.
//
// # Who owns what
//
// The agent owns the process and speaks MCP over its standard input and output. [Server] owns the connection to the daemon, which
// it calls with the ticket of its run. It keeps no state; the daemon has it.
//
// # What is promised
//
//   - The ticket is presented before the first line of MCP is answered.
//   - A subagent is spawned once for a call of the agent, however often the daemon ends meanwhile: its id is made from the id
//     of the call.
//   - Every answer has at most [maxAnswer] bytes. Text that subagents have written is in fields that are marked as such.
//
// # On a crash
//
// When the daemon ends, calls wait for the next one. When this process ends the agent starts another one, which is refused:
// the ticket belongs to this process.
package fleetmcp
