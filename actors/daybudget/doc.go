// Package daybudget counts what all sessions consume on one day, and decides whether turns may begin.
//
//	   80 % of a limit        a limit
//	OK ───────────────► NEAR ──────────► REACHED ── raised, or the next day ──► OK
//
// The daemon's budget of the day applies to the local day of the daemon. At the limit no session begins a turn; running turns go
// on. The first of the sessions with waiting work asks people. When its work no longer waits, the next one asks.
//
// [Ledger] returns the standing of a session at any time; the actor alone changes it.
//
// # What is promised in which order
//
// A session reports its consumption when that is durable. The ledger changes first, then the sessions get [Changed]. Until the
// journal was read, no session begins a turn if there is a budget.
//
// # Who owns what
//
// Nothing is stored here. Consumption, requests and decisions are in the records of sessions and in those that the journal keeps of
// deleted sessions. A session journals the answer of a person together with its consequences.
//
// A day does not begin twice: if the local date goes back by one day, because the clock was set or the daemon has another time
// zone, the later day stays. A date that is further ahead was wrong and is replaced.
//
// # On a crash
//
// The next incarnation reads the journal and asks all sessions for their reports. A repeated report counts once.
package daybudget
