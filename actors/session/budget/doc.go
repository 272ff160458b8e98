// Package budget counts what turns consume, words the requests to raise a limit, and raises it.
//
//	   80 % of a limit        a limit
//	OK ───────────────► NEAR ──────────► REACHED ── limit raised ──► OK
//
// It is arithmetic without actors, clock or I/O: facts about turns go in, sums and verdicts come out. Sums are integers; cost is
// in millionths of a US dollar. A turn is counted when its result is read, with the append that moves the offset behind it, so
// neither a crash nor a replay counts it twice. What the agent reports is bounded: a report that cannot be true is one of unknown
// cost.
package budget
