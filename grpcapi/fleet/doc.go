// Package fleet serves the calls about many agents: FleetService, which stops and resumes all of them, and SubagentService,
// which spawns, watches and ends subagents and plays orchestrations.
//
// It owns nothing. Every call of SubagentService passes a scope first: an agent that calls through its fleet server reaches
// the descendants of its session and nothing else; to it, every other session does not exist. What lets a subagent do more
// without a person needs the right to approve.
//
// A watcher gets the events that there are, then those that come, and the stream ends with the subagent or the orchestration.
// Nothing is kept for a client: after a crash it asks again from the last sequence that it has.
package fleet
