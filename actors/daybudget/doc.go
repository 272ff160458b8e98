// Package daybudget counts what all sessions consume on one day, and decides whether turns may begin.
//
//	   80 % of a limit        a limit
//	OK ───────────────► NEAR ──────────► REACHED ── raised, or the next day ──► OK
//
// The daemon's budget of the day holds for the local day of the daemon. At the limit no session begins a turn; turns that run go on.
// One of the sessions whose work waits asks people: the first. If its work waits no longer, the next one asks.
//
// [Ledger] tells a session where the day stands, at any time; the actor alone changes it.
//
// # What is promised in which order
//
// A session tells what it has consumed when that is on disk. The ledger changes first, then the sessions are told [Changed]. Until the
// journal was read, no session begins a turn if there is a budget.
//
// # Who owns what
//
// Nothing is stored here. What was consumed, asked and decided is in the records of sessions and in what the journal keeps of deleted
// ones; a session journals the answer of a person together with what follows from it.
//
// A day does not begin twice: if the local date goes back by one day, since the clock was set or the daemon has another time zone, the
// later day stays. A date that is further ahead was wrong and counts no longer.
//
// # On a crash
//
// The next incarnation reads the journal and asks all sessions to tell again. A sum that is told twice counts once.
package daybudget
