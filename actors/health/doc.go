// Package health is the actor that collects the health of the daemon's components.
//
// Components report changes to it: [Journal], [Disk], [Pool], [Spool], [StateDirectory], [AgentCrashed], [Frozen] and [Fenced].
// It answers [messages.GetHealth]. Only the journal, which may be silent for hours, is tried: when a caller asks and the last
// try is older than half a minute. Without callers nothing is checked.
//
// # Who owns what
//
// The package owns both sides of the protocol between health and its components, so that no component imports another. It
// has no worker: a caller waits for at most two seconds for the journal.
//
// # On a crash
//
// Nothing survives. Components start out as serving, the next request tries the journal, and every other component reports
// its next change.
package health
