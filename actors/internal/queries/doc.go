// Package queries answers questions that need the journal or the disk and no actor: sessions and their history, rules and
// what they decide, idempotency keys, what agents have reported, paths, the machine.
//
// # Who owns what
//
// The system owns one [Queries], and the gateway's callers share it: each question runs in the goroutine of its caller and
// waits for the disk there. Queries changes no session. It remembers the last answered permission requests, because the
// journal finds them by whole ids only.
//
// # What is promised
//
// An answer is as new as the journal: whatever a client was told before it asked is in it. Two reads for one answer are not
// one moment; a session that is deleted in between is left out, or not found.
//
// # On a crash
//
// Nothing is lost but the last answered requests, which are then found by their whole ids.
package queries
