// Package upkeep works on journal files that nothing writes to: it verifies them, rebuilds
// the manifest from them, makes a copy part of another journal, and keeps a copy of a journal
// before it is changed.
//
// It knows files, not the Store. The Store decides when a file does not change, takes its
// own locks, and calls this package; so Store.Verify, Store.Backup, Restore and Repair
// are short, and nothing of the Store has to be exported for them.
//
// # Promises
//
//   - A [Verifier] changes nothing. Its findings are in its report; an error only means that
//     the caller no longer waits.
//   - [RebuildManifest] loses nothing: of two versions of a file it takes the one with
//     more content, and it fails if a file is missing between two others.
//   - [Adopt] gives a copied file the lineage of the new journal, and detaches the
//     processes of its runs: no live process is mistaken for one of them.
//   - [SetAside] copies all files that will be written to and links the rest; the copy
//     has its name only when it is complete and durable.
package upkeep
