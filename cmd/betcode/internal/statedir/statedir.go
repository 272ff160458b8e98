package statedir

import "path/filepath"

// Names of files in a state directory.
const (
	LockName = "daemon.lock" // locked by the daemon, and read by launchers of agents
	LogName  = "daemon.log"  // the log of a daemon in the background, unless it was given another
)

// Journal returns the directory of the journal.
func Journal(state string) string { return filepath.Join(state, "journal") }

// Orchestrations returns the directory of the journals of orchestrations.
func Orchestrations(state string) string { return filepath.Join(state, "orchestrations") }

// Runs returns the directory of the run directories.
func Runs(state string) string { return filepath.Join(state, "runs") }

// Search returns the directory of the search index.
func Search(state string) string { return filepath.Join(state, "search") }

// Backups returns the directory of scheduled backups.
func Backups(state string) string { return filepath.Join(state, "backups") }

// Proxies returns the directory of proxies: a directory for each session at a foreign portal, and
// the tokens for portals.
func Proxies(state string) string { return filepath.Join(state, "proxies") }
