// Package launch is the launcher: the small process between the
// daemon and an agent, so that the agent outlives the daemon and its exit
// status is recorded.
//
// The launcher is this program again. The daemon starts its own executable with
// the name [Name] and [Marker] in the environment ([Params.Command]); the init
// function of this package recognises both, does the launcher's work and ends the
// process. No other part of the program runs.
//
// # Why an init function
//
// The program links gRPC, the actor library, metrics and a database, and their
// package variables cost several megabytes before main begins. Go initialises
// packages in the order of their import paths as soon as what they import is
// ready. This package imports runtime, syscall and unsafe only, so its turn comes before
// that of all packages that read files, print or know the time, and a
// launcher costs less than 3 MB of memory of its own. Keep it that way: no os,
// no fmt, no time, no encoding/json here. TestMemory measures it.
//
// # What the launcher does
//
// It finds the agent's standard streams as its own (0, 1, 2), the locked lock
// file of the run directory (3, [LockFD]) and the report pipe (4, [ReportFD]).
//
//  1. It reserves the space of its two records, so that a full disk is noticed
//     before the agent runs and not when it ends.
//  2. It goes to the agent's directory and starts the agent in a new session, with default
//     signals, with descriptors 0 to 2 and no others. With a fence ([Params].Fence) it
//     restricts the agent by Landlock for writes and signals, and by a filter of system
//     calls, so that it sets no limits of another process. A fenced agent's directory is
//     opened without following a symbolic link.
//  3. It writes launcher.json, also if the agent could not be started, and the
//     same bytes into the report pipe, which it closes.
//  4. It closes the agent's streams, reaps every orphan below it (it
//     is a subreaper, so that no descendant of an agent gets out of sight while the
//     agent lives), and waits for the agent.
//  5. At intervals it checks whether there is a daemon ([Lease]). If for a long time
//     there was none, and the agent has written nothing, it ends the agent by SIGTERM,
//     and 5 s later by SIGKILL.
//  6. It writes exit.json and ends. Both files appear whole, by rename.
//
// It holds the lock as long as it lives. It ignores SIGTERM, SIGHUP, SIGINT and
// SIGQUIT: it ends when the agent ends. If it is killed the agent lives on, and
// its exit status is lost.
package launch
