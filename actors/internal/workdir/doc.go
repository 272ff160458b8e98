// Package workdir decides how much of its working directory an agent obeys: settings, rules, hooks and servers that a
// repository brings along take effect only where the user trusts the directory.
//
// # Who owns what
//
// A [Source] inspects directories and keeps the list of trusted ones; the command implements it. The [Reviewer] derives from
// it the rules, the defaults, and the [messages.Guard] of one session's agent. The Reviewer has no state
// and is safe for concurrent use.
//
// # What is promised
//
// Nothing is cached between calls, so a withdrawal of trust is effective from the next call on. A guard contains no values
// that may be secrets, because everybody who may view the session sees it.
//
// All functions read the disk on the goroutine of their caller. Actors call them on a worker.
//
// # On a crash
//
// Nothing is lost here. The Source makes trust durable before its Trust returns.
package workdir
