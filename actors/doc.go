// Package actors is the behaviour of the daemon: the supervision tree in which
// every session, agent process, client stream and undecided permission is an
// actor.
//
//	daemon
//	├── disk                     how much room is left
//	├── health                   how the components are
//	├── journal                  the only writer of the journal
//	├── pool                     how many agents may run, who waits, who is parked
//	└── sessions                 finds, starts and lets go
//	    └── session/<id>         one conversation; owns its sequence numbers
//	        ├── run/<n>          one incarnation of the agent process
//	        ├── client/<stream>  one attached stream: cursor, outbox, lag
//	        └── permission/<id>  one request that waits: deadline, reminders, first answer
//
// # How an actor is written
//
// One actor, one pair of files. run_state.go says what a run is: a struct and a
// step that takes a message and returns the next state and a list of effects,
// which are data. run.go says how it is run: it keeps the state and carries out
// the effects, in order. Receive never waits: I/O is done by a worker of package act, whose
// result comes back as a message. Clock, ids and chance are arguments of a step.
// The session, being the largest, has its step in several files, by subject.
//
// # What is promised in which order
//
//   - Write down, then tell the streams, then answer, then act. Whatever a
//     session tells anybody waits until the append it belongs to is on disk.
//   - The events of a batch of agent output, the consumed offset of its spool and
//     the translator's state are one append: a line becomes its events once,
//     whatever is killed when.
//   - A user message is journaled before it is written to the agent, and is
//     written again, under the same uuid, until the agent or a result has
//     settled it.
//   - A stream gets every journaled event once, in order, from wherever it
//     began; a slow one gets them later, from the journal.
//
// # Who owns what
//
// A run actor owns descriptors, never the process: the agent belongs to its
// launcher and outlives everything here. A worker's goroutine ends with its
// jobs; a timer is stopped by its actor; an inotify watch is closed with its
// run. [System.Stop] waits for all of them.
//
// # On a crash
//
// An actor that panics is restarted with backoff by its parent's supervisor, and
// its children with it. A session rebuilds itself from the journal, behind its
// own earlier appends; its run adopts the process and reads on from the consumed
// offset; its streams are attached again by the gateway behind the last number
// they have delivered. When the daemon dies the same happens from the start.
package actors
