// Package supervision decides what happens when an actor crashes, does it, and
// shows it.
//
// Three parts, one file each:
//
//   - [Policy] is pure: a history of failures in, a decision out.
//   - [Supervisor] is the only adapter to the actor library: it counts each
//     child by itself, waits out the backoff and restarts or stops the child.
//   - [Tree] is the live picture: which actors run, how often each was restarted, which is
//     backing off and why.
//
// Two more serve all that runs: [Crew] has its goroutines, and [Collector] sets the pace
// of the garbage collector.
//
// Every actor of ours is described by [Tree.Props], which is the one place where
// the library's traps are kept out:
//
//   - the producer makes a new struct for each incarnation, and the supervisor
//     strategy is always ours;
//   - a panic keeps its stack;
//   - a panic while stopping is shown and swallowed: the library would resurrect
//     the actor, or never tell its parent;
//   - a restart is called off when the actor is stopped: the library would take
//     it for a reason to bring the actor back;
//   - an actor that is stopping gets no more messages: the library would deliver
//     them, and a child that is spawned then is never stopped, nor is the actor
//     that waits for it;
//   - what is sent to a name that is just being taken waits for Started: the
//     library would crash, or deliver it first.
//
// # Two different failures
//
// An actor crashes: that is our bug, and it is this package's business. An agent
// process exits: that is the agent's business, exit codes are read by the
// session. Neither causes the other.
//
// # What a restart promises
//
// The actor's mailbox is kept, the message that failed is lost, all children are
// stopped first, and a new struct gets Started. So an actor rebuilds itself from
// the journal in Started, always.
package supervision
