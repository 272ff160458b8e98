// Package planlog keeps the journals of orchestrations: a file <id>.log for each, in one directory. It knows lines, checksums and
// numbers; what the events mean is known to package orchestration.
//
// A file has lines: eight hexadecimal digits of a CRC-32C, a space, JSON. The first line is the [Header] with whatever else its writer
// puts there, each other an event. Lines are only appended. A last line without its end is what a crash leaves: its event was never
// acted upon.
//
// # Backups
//
// [Mark] notes how long each file is, at the moment of which the backup is a copy: while it holds the journal of sessions still. What
// is written before that moment is copied afterwards, since nothing changes it. Whatever a session did for a step comes after the
// event that started the step, and the event that ends the step comes after the end of its session, so both copies agree. The copy
// has a file LIST of what it consists of, so a file that is missing or cut is noticed.
package planlog
