// Package proxied is the machine of a session whose agent runs elsewhere, under a proxy: which lines of the proxy the session
// has, what a line means, and which message a line repeats.
//
// [Lines] is a value. It owns nothing, does no I/O and reads no clock. A proxy numbers its lines, keeps at most a thousand that
// were not acknowledged, and sends these again after each connection. A line is known by its number and the hash of its content.
//
// The interrupt of a turn is a machine in the record of the proxy ([NoteInterrupt], [SendInterrupt]); which messages are due, doubtful or
// lost is told from their records ([Due], [Doubtful], [Acknowledged]). [Connections] is what the session's actor has of its proxies.
//
// # What is promised in which order
//
// The session appends the events of a line together with [Lines.Ledger] and [Lines.Translator], and acknowledges the line after
// that. Therefore a line that is sent again is known whenever its events are durable, and not known otherwise.
//
// # On a crash
//
// [Load] continues from what was appended last.
package proxied
