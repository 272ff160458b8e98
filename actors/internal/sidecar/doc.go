// Package sidecar keeps small files beside the journal: facts that may be lost, and stops that must be saved while the journal fails.
//
// # Who owns what
//
// The system owns one [Versions] and one [Stops], which hold their files in memory as well. The files of a session lie beside
// its runs and go with it: [ReadAbilities] and [ReadReport] read them each time, in the caller's goroutine. Every function
// here that writes does I/O, so actors call it on a worker.
//
// # What is promised
//
// A file is replaced as a whole. [Stops.Save] returns when its file is durable; of the others, the newest change may be lost
// with the power.
//
// # On a crash
//
// A file that is missing, incomplete or of an unknown format says nothing, and the agent will say it again. Only a saved stop
// that cannot be read still counts: its name is the session's id, and the session is stopped.
package sidecar
