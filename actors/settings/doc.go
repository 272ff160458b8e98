// Package settings has the settings that may change while the daemon runs: limits, times, policies and permission rules.
//
// # Who owns what
//
// The command makes a [Settings] from the settings files and gives it to the system, which never modifies it: a change is
// another Settings. The system keeps the present one for decisions outside of actors, and sends [Changed] to pool,
// retention and sessions, which keep their own reference.
//
// # What is promised
//
// A change applies to later decisions. A running timer goes on, a request that waits keeps its reminders, and a run keeps its
// fence. An actor that starts, or restarts after a crash, begins with the present settings.
package settings
