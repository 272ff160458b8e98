// Package actors is the behaviour of the daemon: the supervision tree in which
// every session, agent process, client stream and undecided permission is an
// actor.
//
//	daemon
//	├── disk                     free disk space
//	├── health                   health of the components
//	├── journal                  the only writer of the journal
//	├── pool                     how many agents may run, which sessions wait, which are parked
//	├── retention                has sessions drop old history
//	├── search                   indexes journaled history
//	├── backups                  copies the journal on a schedule
//	├── worktrees                runs git for worktrees, a child for each repository
//	└── sessions                 finds, starts and stops the actors of sessions
//	    └── session/<id>         one conversation; owns its sequence numbers
//	        ├── run/<n>          one incarnation of the agent process
//	        ├── client/<stream>  one attached stream: cursor, outbox, lag
//	        └── permission/<id>  one request that waits: deadline, reminders, first answer
//
// # How an actor is written
//
// One actor, one package: actors/session, run, client, permission, journal, pool, disk, health, retention, search and worktree.
// In each, state.go is a struct and a step that takes a message and returns the next state and a list of effects, which are
// data; actor.go keeps the state and performs the effects, in order. Receive never waits: a worker of package act does the I/O,
// and sends the result back as a message. Clock, ids and randomness are arguments of a step. Each package owns the messages that
// it exchanges with others, and gets what it needs of the system as a struct Deps (wiring.go).
//
// This package is the tree above them: the system and its options, the daemon and sessions actors, and the entry points of the
// gateway. Package actors/internal/queries answers requests that need the disk or the journal and no actor. The import order
// has no cycles:
//
//	internal/act ◄── health ◄── pool, disk, journal, run, client, permission ◄── session ◄── actors
//
// # What is promised in which order
//
//   - Journal, then publish to the streams, then answer, then act. Everything that a
//     session sends is pending until the append that it belongs to is durable.
//   - The events of a batch of agent output, the consumed offset of its spool and
//     the translator's state are one append: a line becomes its events once,
//     whichever process is killed, at any time.
//   - A user message is journaled before it is written to the agent. It is written
//     again, under the same uuid, until the agent confirms it or a result shows that
//     it is done.
//   - A stream gets every journaled event once, in order, from the number where it
//     began. A slow stream gets them later, from the journal.
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
// The supervisor of its parent restarts an actor that panics, with backoff, and its children with it. A session rebuilds itself
// from the journal, which by then has the session's earlier appends; its run adopts the process and reads on from the consumed
// offset. The gateway attaches its streams again behind the last number that they have delivered. After a crash of the daemon
// the same happens from the start.
package actors
