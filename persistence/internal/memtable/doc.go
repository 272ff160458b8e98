// Package memtable keeps the rows that are durable in the logs and not in the journal
// file yet, and reads them together with the file.
//
// A [Table] is a sorted copy-on-write tree. A commit clones the newest table, changes
// the clone, and publishes it in an [Overlay]; readers keep the one they have. While a
// checkpoint moves rows, the overlay has two tables: the frozen one, and the live one
// over it. A [View] is tables over one read transaction of a file (source); it reads
// the newest version of each row. A reader loads the overlay before it begins the transaction,
// so it misses nothing that a checkpoint moves meanwhile.
//
// Nothing here survives a restart: package recovery rebuilds the table from the logs.
package memtable
