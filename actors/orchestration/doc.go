// Package orchestration runs plans. A step is a subagent or a merge, and starts when the steps that it depends on have ended.
//
// The orchestrations actor has a child for each unfinished plan. The child is a pure machine ([state]) with an actor around it:
// step returns events; the actor writes them and then performs their effects. An attempt of a step is one subagent, whose id is
// derived from orchestration, step and attempt, so spawning it again finds the existing one.
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
// # Merges
//
// A step that merges sends a request to the repository (package worktree), with an id that is derived like that of a subagent.
// The repository makes the merge of an id once, so the request can be repeated after a crash. A merge under way is not
// interrupted: if a client cancels the step meanwhile, the step still completes.
//
// # Budget
//
// At its budget a plan starts no further step. Its parent session asks people. The id of the question is derived from the
// orchestration and the number of its questions, so that after a crash the question is repeated under the same id.
//
// # The journal of an orchestration
//
// Each has a file <id>.log in the directory of the [Registry]: the plan, then its events, one to a line with a checksum. The
// state is rebuilt from this file alone. A group of events is synced before its effects are performed, so no subagent is
// spawned before its event is durable. The journal of sessions has no events of orchestrations: an append there belongs to one
// session, and its history is trimmed, exported and deleted with that session. Package planlog has the format, and backups.
//
// An orchestration from a backup has the event restored. It starts nothing, and does not spawn attempts that ran, until a person
// lets it continue.
//
// # On a crash
//
// The next incarnation reads the file. It drops a torn last line, whose effects were never performed. It spawns the running
// steps again, which finds their subagents, and waits for them. When the daemon starts, every unfinished orchestration gets its
// actor.
package orchestration
