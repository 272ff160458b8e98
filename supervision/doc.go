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
// Two more serve the whole process: [Crew] runs the actors on pooled goroutines, and
// [Collector] sets the pace of the garbage collector.
//
// Every actor is described by [Tree.Props]. Only there are the defects of the actor
// library worked around:
//
//   - the producer makes a new struct for each incarnation, and the supervisor
//     strategy is always ours;
//   - a panic keeps its stack;
//   - a panic while stopping is reported and recovered: the library would restart
//     the actor, or never notify its parent;
//   - a stop cancels a pending restart: the library would let the restart win and
//     keep the actor running;
//   - an actor that is stopping gets no more messages: the library would deliver
//     them, and a child that is spawned then is never stopped, nor is the actor
//     that waits for it;
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
// The actor's mailbox is kept, the message that failed is lost, all children are
// stopped first, and a new struct gets Started. So an actor rebuilds itself from
// the journal in Started, always.
package supervision
