// Package notify starts the user's program for each notice: a few programs at a time, each with a deadline.
//
// # Who owns what
//
// The system owns one [Notifier], with its workers and the processes that they run. Sessions send notices and never wait.
//
// # What is promised
//
// A program gets the notice as JSON on its input and as variables, and nothing of the environment of agents. Notices beyond
// what may wait are dropped, with a line in the log: every notice is an event in the journal as well. [Notifier.Close] ends the
// programs that run.
//
// # On a crash
//
// Notices that wait are lost; their events are in the journal.
package notify
