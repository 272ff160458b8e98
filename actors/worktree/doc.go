// Package worktree manages worktrees of git repositories, in which sessions work.
//
// The worktrees actor has a child for each repository. The child runs changes of its repository one after the other, on a
// worker; it never waits for git. Queries do not queue behind changes: [Registry.Views] answers them on the caller's goroutine.
//
// # Records
//
// Each worktree has a file <id>.json in the directory of the [Registry]. It is written before git changes anything and
// after git is done:
//
//	          git worktree add            git worktree remove
//	creating ──────────────────► ready ◄──────────────────── removing ──► (no record)
//	   │                                  work was found
//	   └── undone ──► (no record)
//
// # Setup
//
// A second worker of the repository runs setups, so changes do not wait for them. Worktrees are ready before their setup:
// its status and the end of its output are part of the record. A [setupRun] has more of the output, for callers of
// [Registry.ReadSetup]; [Registry.CancelSetup] ends it. A script is read once: the bytes that were hashed and trusted are run.
//
// A setup ends with the daemon. The kernel kills its first process; the next daemon kills the others, which it finds by a mark
// in their environment. Commands inherit a lock, so processes that are not found do not run beside new ones.
//
// # Leases
//
// Leases of sessions are part of the record. A third worker writes them, so they do not wait for changes. Callers that wait
// for a lease wait on their own goroutines, in the order of the queue of the [Registry]; the actor gets only attempts.
//
// # Merges
//
// A merge is computed in git's object database first, which finds conflicts and changes no branch or file. Then git updates the
// files of the target, if it is checked out, and last its branch, atomically. Meanwhile a file <id>.merge has the intent. The
// commit message of the merge has its id, so a repeated request finds it.
//
// # Retention
//
// The worktrees actor searches for worktrees that were not used for the time of the settings, and asks their repositories for
// the removal. The repository checks once more when its record has the intent of the removal: from then on [Registry.Admit]
// lets no session begin there.
//
// # Keys
//
// A change under an idempotency key has a file <key>.request, the ledger. It is written before the change begins, and again with
// the answer, which a repeated request gets. An answer that cannot be derived from the repository afterwards is written first, as
// a prepared answer. A repeated request finds out how far the first one came, and carries out the rest.
//
// # On a crash
//
// A repository first finishes or undoes the changes that its records have as begun. It waits for a git that outlived the
// daemon, by the lock that git has inherited. It keeps a worktree that git had finished, and removes only files that the record
// lists as made by the daemon. It finishes a merge whose target had its new files; otherwise it restores their former content,
// except for files that were changed since.
package worktree
