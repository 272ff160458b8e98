// Package fleet serves the calls about many agents. FleetService stops and resumes all of them; SubagentService spawns,
// watches and ends subagents and runs orchestrations.
//
// The package owns nothing. Every call of SubagentService passes a scope first: an agent that calls through its fleet
// server can reach only the descendants of its session. Any other session appears not to exist. Options that let a
// subagent do more without a person need the right to approve.
//
// A watcher gets the stored events, then new ones, until the subagent or the orchestration ends. The package keeps no
// state for a client: after a crash, the client calls again with its last sequence.
package fleet
