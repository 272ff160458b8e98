// Package supervision restarts or stops crashed actors, and shows the tree of actors.
//
// Three parts, one file each:
//
//   - [Policy] is pure: it maps a history of failures to a decision.
//   - [Supervisor] is the only adapter to the actor library: it keeps a history for each child,
//     waits for the backoff, and restarts or stops the child.
//   - [Tree] is the live tree of actors: their states, restarts, backoffs and last errors.
//
// Two more types serve the whole process: [Executor] runs the actors on pooled goroutines, and
// [Collector] tunes the garbage collector.
//
// Every actor is spawned with [Tree.Props]. It works around the defects of the actor library:
//
//   - each incarnation gets a new struct, and the supervisor strategy is always ours;
//   - a panic keeps its stack;
//   - a panic while stopping is reported and recovered: the library would restart
//     the actor, or never notify its parent;
//   - a stop cancels a pending restart: the library would restart the actor and keep it running;
//   - an actor that is stopping gets no more messages: the library would deliver them, and would
//     stop neither a child that the actor then spawns, nor the actor;
//   - a message to a name whose mailbox is not ready yet waits for Started: the
//     library would crash, or deliver the message before Started.
//
// # Two different failures
//
// A crash of an actor is a bug of the daemon, and this package handles it. The exit of
// an agent process is no crash: the session reads the exit code. Neither causes the
// other.
//
// # What a restart promises
//
// The actor's mailbox is kept, the message that failed is lost, all children are stopped first, and
// a new struct gets Started. So every actor rebuilds its state from the journal in Started.
package supervision
