// Package manifest implements the file that lists the files of the journal: its format, its
// lineage, the sealed files in order, the active file, and the logs. A file that it
// does not name does not belong to the journal.
//
// # Order
//
// The manifest is replaced as a whole, in two copies with a generation and a checksum.
// [Manifest.Write] writes and syncs both under other names before it renames the first,
// so after a crash at any time one valid copy exists. [Read] returns the newest valid
// copy and how the other differs; the store writes that one again.
//
// When Write fails after the first rename, it is unknown which generation a crash would
// leave: the caller must not write until the journal was opened again.
package manifest
