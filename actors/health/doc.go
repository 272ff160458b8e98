// Package health is the actor that knows how the components of the daemon are.
//
// Components report changes to it: [Journal], [Disk], [Pool], [Spool], [StateDirectory], [AgentCrashed], [Frozen] and [Fenced].
// It answers [messages.GetHealth]. Only the journal, which may be silent for hours, is tried: when somebody asks and the last
// try is older than half a minute. A daemon that nobody asks checks nothing.
//
// # Who owns what
//
// The package owns both sides of the protocol between health and its components, so that no component imports another. It
// has no worker: the caller that asks waits for at most two seconds for the journal.
//
// # On a crash
//
// Nothing survives. Components start out as serving, the next question tries the journal, and every other component reports
// its next change.
package health
