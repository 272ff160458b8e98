// Package sidecar stores small files beside the journal: facts that may be lost, and stops that must be saved while the journal fails.
//
// # Who owns what
//
// The system owns one [Versions] and one [Stops], which keep their files in memory as well. The files of a session are beside
// its runs and are deleted with it: [ReadAbilities] and [ReadReport] read them each time, on the caller's goroutine. Every
// function here that writes does I/O, so actors call it on a worker.
//
// # What is promised
//
// A file is replaced as a whole. [Stops.Save] returns when its file is durable; of the others, the newest change may be lost
// with the power.
//
// # On a crash
//
// A file that is missing, incomplete or of an unknown format has no effect, and the agent will report its content again. Only a
// saved stop that cannot be read still counts: its name is the session's id, and the session is stopped.
package sidecar
