// Package statedir names the files in the state directory of a daemon, and finds the process that holds it.
//
// A daemon locks the directory as long as it lives ([Lock]); the lock is the kernel's and ends with the process, however that
// ends. The lock file holds the daemon's pid. So a command can find a daemon whose socket was deleted ([HolderOf]), and a command
// that works on the files can exclude daemons ([TryLock]).
package statedir
