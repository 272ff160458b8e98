// Package planlog stores the journals of orchestrations: a file <id>.log for each, in one directory. It knows lines, checksums and
// numbers; package orchestration knows the meaning of the events.
//
// A file has lines: eight hexadecimal digits of a CRC-32C, a space, JSON. The first line is the [Header] with additional fields of
// its writer, each other line an event. Lines are only appended. A crash may leave an incomplete last line, whose event had no
// effect yet.
//
// # Backups
//
// [Mark] records the length of each file at the time of the backup, while the journal of sessions does not change. The bytes
// before these marks are copied afterwards, since nothing changes them. The work of a session for a step comes after the
// event that started the step, and the event that ends the step comes after the end of its session, so both copies agree. The copy
// has a file LIST of its files, so a missing or cut file is noticed.
package planlog
