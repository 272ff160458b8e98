// Package orchestration plays plans: steps that are subagents, each started when those that it depends on have ended.
//
// The orchestrations actor has a child for each plan that has not ended. The child is a pure machine ([state]) with a shell:
// step decides what happens, as events; events are written; then their effects are performed. An attempt of a step is one
// subagent, whose id is made of orchestration, step and attempt. To spawn it again finds the one that is there.
//
// # States of a step
//
//	           place free           completed
//	pending ────────────► running ───────────► completed
//	   ▲  │                 │  │ failed, no attempts left
//	   │  │                 │  └──────────────► failed ──► dependants: blocked
//	   │  │        failed   ▼
//	   │  │   ┌────────── waiting (for the delay of its next attempt)
//	   │  │   └──► pending
//	   │  └── a client, or the plan stops ──► cancelled ◄── cancelling ◄── running
//	   └── a client retries: failed, cancelled, blocked
//
// # The journal of an orchestration
//
// Each has a file <id>.log in the directory of the [Registry]: the plan, then its events, one to a line with a checksum. The
// file is the only truth: the state is what its events add up to. A group of events is synced before its effects are
// performed, so a subagent is spawned only when the journal says so. The session journal has nothing of it: an append there
// belongs to one session, and an orchestration has none of its own that could be trimmed, exported or deleted on its own.
//
// # On a crash
//
// The next incarnation reads the file. A last line that is not whole is dropped: none of its effects was performed. Steps that
// run are spawned again, which finds their subagents, and waited for. At the start of the daemon every orchestration that has
// not ended gets its actor.
package orchestration
