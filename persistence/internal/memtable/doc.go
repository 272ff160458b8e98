// Package memtable keeps the rows that are durable in the logs and not in the journal
// file yet, and shows them together with the file.
//
// A [Table] is a sorted copy-on-write tree. A commit clones the newest table, changes
// the clone, and publishes it in an [Overlay]; readers keep the one they have. While a
// checkpoint moves rows, the overlay has two tables: the frozen one, and the live one
// over it. A [View] is tables over one read transaction of a file ([Source]); it reads
// the newest of each row. A reader takes the overlay first and begins the transaction
// then, so it misses nothing that a checkpoint moves meanwhile.
//
// Nothing here survives a restart: package recovery makes the table again of the logs.
package memtable
