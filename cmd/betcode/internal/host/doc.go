// Package host is the daemon in this process: it opens what a daemon needs, serves clients until a signal or a client
// ends it, and closes everything in the reverse order.
//
// [Run] performs the steps in order: signals, directories, lock of the state directory, audit log, tokens, socket, TCP, journal,
// agents without an owner, actors. A step that fails ends the daemon with the name of the step. The socket is opened early, so
// that a second daemon fails at once; clients are served when the actors run.
//
// The type daemon owns all of it. Settings change while the daemon runs: liveSettings holds those in force, and reload is
// the only writer. Parts that are no actors report to health through components. The gateway asks an asker, which
// answers questions about settings and this process itself and passes the rest to the actors.
//
// After a crash the kernel has released the lock, agents go on, and the next daemon recovers from the journal and the run
// directories. A socket file is left behind; the next daemon dials it and replaces it if no daemon answers.
package host
