// Package ending is why an agent or its session ends, which requests wait for that, and what follows the end of a run.
//
//	                   Park, Fleet, Replace, Restart                run ends
//	agent may go on ─────────────────────────────────► agent ends ─────────► [After] and [OfTurn] decide; another agent may follow
//	       │                                               │
//	       │ Stop, Shutdown, Delete                        │ the same: a later reason of the list wins
//	       ▼                                               ▼
//	ends for good ──────────────────────────────────────────────── run ends ─► nothing follows in this daemon; waiters are answered
//
// An [Ending] is a value: it does no I/O and reads no clock. A copy is independent of the original. What must outlive the session's
// actor, the wish to stop, is in the session's record. The session ends processes, journals and answers.
package ending
