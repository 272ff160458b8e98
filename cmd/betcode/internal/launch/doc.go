// Package launch starts, finds, replaces and stops daemon processes, on behalf of a command.
//
// A daemon in the background is this executable in a session of its own; closing the terminal does not reach it. Its
// standard output and error are its log. [Launcher.Start] returns when the daemon answers and serves, or with the end of
// its log.
//
// A daemon is found by its socket, and if no daemon answers there by its lock on the state directory ([Find]): a daemon
// whose socket was deleted makes it again within seconds.
//
// A helper process restarts the daemon, so the restart completes even if its command is killed; see restart.go. It starts the
// next daemon with the command line, the environment and the working directory of the one before.
//
// The package stores nothing. After a crash either the new daemon serves and its start was not reported, or none runs, which the
// next command reports.
package launch
