// Package statedir knows what is in the state directory of a daemon, and which process has it.
//
// A daemon locks the directory as long as it lives ([Lock]); the lock is the kernel's and ends with the process, however
// that ends. The lock file holds the daemon's pid. So a command can find a daemon whose socket is gone ([HolderOf]), and
// a command that works on the files keeps daemons away ([TryLock]).
package statedir
