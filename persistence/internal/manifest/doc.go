// Package manifest is the file that says which files are the journal: its format, its
// lineage, the sealed files in order, the active file, and the logs. A file that it
// does not name does not belong to the journal.
//
// # Order
//
// The manifest is replaced as a whole, in two copies with a generation and a checksum.
// [Manifest.Write] writes and syncs both under other names before it renames the first,
// so after a crash at any moment one valid copy is there. [Read] takes the newest valid
// copy and says how the other differs; the store writes that one again.
//
// When Write fails after the first rename, it is unknown which generation a crash would
// leave: the caller must not write any more before the journal was opened again.
package manifest
