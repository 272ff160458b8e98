// Package git runs the git command line on repositories whose settings are not trusted.
//
// A repository's own configuration can name programs: hooks, filters, a file system monitor, transports. None of them runs
// here. Hooks, the monitor and transports are switched off for each command. Filters of the repository are switched off
// where git only reads; a checkout is refused, because files would have other contents than the person expects. Filters of
// the user's own configuration run: git lfs is one.
//
// Agents run git on their own. [ExplicitBareRepositories] returns variables for their environment.
//
// # Who owns what
//
// Each call starts one git process in a process group of its own and waits for it. When the context ends, the group gets
// SIGTERM, so that git removes its lock files, and SIGKILL after [grace]. A change of a repository takes a [Lock]; git
// inherits it, so the lock outlives a daemon that crashes while git runs.
//
// # On a crash
//
// git continues when the daemon crashes. [TakeLock] in the next daemon waits for it. Files that a killed git leaves behind are
// found with [Leftover] and removed with [Leftover.Remove].
package git
