// Package record defines the stored form of a journal: buckets and keys, values with
// checksums, the translation of records to and from store.proto, chunks of events with
// their hash chain, rows as in a group of the log, and references to payloads.
// It is pure: it opens no file and knows no clock.
//
// # A value
//
// Every value is a message of store.proto and ends in field 15, a CRC-32C of its key
// and of everything before the field. So a damaged value is recognised, as is a sound
// one under a wrong key. Records have a version. Fields that this build does not know
// are kept when a record is rewritten ([Encode]), except inside nested messages and in a Cursor,
// which is replaced whole.
//
// # A row
//
// A [Row] is a bucket's number, a key, and a value or a deletion. Groups of the log are
// rows in order; the number of a bucket is part of that format and never changes.
//
// # Events
//
// A chunk contains consecutive events, in the wire form of "repeated bytes
// events = 1", under the number of its last event, and the link of the session's hash
// chain behind it. The chain is one of events, not of chunks, so [Joiner] may join
// chunks without changing it.
//
// # Payloads
//
// A chunk or the body of an input above [PayloadBytes] may be stored as a file of its
// own, named by the SHA-256 of the value without checksum; the value is then a
// reference. Package blob writes and reads these files.
package record
