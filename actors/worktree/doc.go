// Package worktree keeps worktrees of git repositories, in which sessions work.
//
// The worktrees actor has a child for each repository. The child runs changes of its repository one after the other, on a
// worker; it never waits for git. Questions do not queue behind changes: [Registry.Views] answers them on the caller's
// goroutine.
//
// # Records
//
// Each worktree has a file <id>.json in the directory of the [Registry]. It is written before git changes anything and
// after it has:
//
//	          git worktree add            git worktree remove
//	creating ──────────────────► ready ◄──────────────────── removing ──► (no record)
//	   │                                  work was found
//	   └── undone ──► (no record)
//
// # Setup
//
// A second worker of the repository runs setups, so changes do not wait for them. Worktrees are ready before their setup:
// its status is part of the record. Commands inherit a lock, so those of a killed daemon do not run beside new ones.
//
// # Leases
//
// Leases of sessions are part of the record. A third worker notes them, so they do not wait for changes. Callers that wait
// for a lease wait on their own goroutines, in the order of the queue of the [Registry]; the actor only hears of attempts.
//
// # On a crash
//
// A repository first finishes or undoes what its records say was begun. It waits for a git that outlived the daemon, by the
// lock that git has inherited. A creation counts if git had finished it. Only what the record says we have made is removed.
package worktree
