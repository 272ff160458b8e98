// Package actors is the behaviour of the daemon: the supervision tree in which
// every session, agent process, client stream and undecided permission is an
// actor.
//
//	daemon
//	├── disk                     how much room is left
//	├── health                   how the components are
//	├── journal                  the only writer of the journal
//	├── pool                     how many agents may run, which sessions wait, which are parked
//	├── retention                has sessions give up old history
//	├── search                   indexes history behind the journal
//	├── backups                  copies the journal from time to time
//	├── worktrees                runs git for worktrees, a child for each repository
//	└── sessions                 finds, starts and lets go
//	    └── session/<id>         one conversation; owns its sequence numbers
//	        ├── run/<n>          one incarnation of the agent process
//	        ├── client/<stream>  one attached stream: cursor, outbox, lag
//	        └── permission/<id>  one request that waits: deadline, reminders, first answer
//
// # How an actor is written
//
// One actor, one package: actors/session, run, client, permission, journal, pool, disk, health, retention, search and worktree. In each, state.go is a struct and a
// step that takes a message and returns the next state and a list of effects, which are data; actor.go keeps the state and
// performs the effects, in order. Receive never waits: a worker of package act does the I/O, and its result comes back as a
// message. Clock, ids and randomness are arguments of a step. Each package owns the messages that it exchanges with others,
// and gets what it needs of the system as a struct Deps (wiring.go).
//
// This package is the tree above them: the system and its options, the daemon and sessions actors, and the way in for the
// gateway. Questions that need the disk or the journal and no actor are answered by actors/internal/queries. The import
// order has no cycles:
//
//	internal/act ◄── health ◄── pool, disk, journal, run, client, permission ◄── session ◄── actors
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
// they have delivered. After a crash of the daemon the same happens from the start.
package actors
