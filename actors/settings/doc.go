// Package settings is what may change while the daemon runs: limits, times, policies and permission rules.
//
// # Who owns what
//
// The command makes a [Settings] from the settings files and gives it to the system, which never changes it: a change is
// another Settings. The system keeps the present one for what is decided outside of actors, and sends [Changed] to pool,
// retention and sessions, which keep theirs.
//
// # What is promised
//
// A change holds for what is decided from then on. A timer that runs goes on, a request that waits keeps its reminders, and a
// run keeps its fence. An actor that starts, or starts again after a crash, begins with the present settings.
package settings
