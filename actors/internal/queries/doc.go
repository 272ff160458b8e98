// Package queries answers requests that need the journal or the disk and no actor: sessions and their history, rules and
// their decisions, idempotency keys, reports of agents, paths, the machine.
//
// # Who owns what
//
// The system owns one [Queries], and the gateway's callers share it: each query runs on the goroutine of its caller and
// waits for the disk there. Queries changes no session. It stores the last answered permission requests, because the
// journal finds them by whole ids only.
//
// # What is promised
//
// An answer is as new as the journal: everything that a client received before its request is in it. Two reads for one
// answer are not atomic; a session that is deleted in between is left out, or not found.
//
// # On a crash
//
// Only the last answered requests are lost, which are then found by their whole ids.
package queries
