// Package upkeep works on journal files that nothing writes to: it verifies them, makes
// the manifest again of them, makes a copy one of another journal, and keeps a journal
// aside before it is changed.
//
// It knows files, not the Store. The Store decides when a file stands still, takes its
// own locks, and calls this package; so Store.Verify, Store.Backup, Restore and Repair
// are short, and nothing of the Store has to be exported for them.
//
// # Promises
//
//   - A [Verifier] changes nothing. What it finds is in its report; an error is only that
//     the caller no longer waits.
//   - [RebuildManifest] loses nothing: of two versions of a file it takes the one with
//     more in it, and it fails where a file is missing between two others.
//   - [Adopt] gives a copied file the lineage of the new journal, and forgets the
//     processes of its runs: nothing that lives is taken for them.
//   - [SetAside] copies everything that will be written to and links the rest; the copy
//     has its name only when it is whole and on disk.
package upkeep
