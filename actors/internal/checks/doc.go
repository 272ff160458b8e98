// Package checks completes and refuses requests by facts on the disk, before an actor gets them: directories, options
// of the agent, protected files, and calls that a person has edited.
//
// # Who owns what
//
// The system owns one [Checks]. The gateway's callers use it in their own goroutines, because it reads the disk and may run the
// agent's program to learn its version; the session's worker uses [Checks.EditRefused]. It keeps no state.
//
// # What is promised
//
// A request that passes is checked at present; conditions of the start of an agent are checked again then, by package launchplan.
// Requests about an existing session are not refused because its directory is missing: its history can be read.
//
// # On a crash
//
// Nothing is lost: a request that was not answered is sent and checked again.
package checks
