// Package offline does on files what needs no daemon: it reads, copies, restores and repairs journals, and checks rules
// in settings files.
//
// What it answers about a journal has the form of the daemon's answers, so that a command prints both the same way. A
// function that changes files refuses if a daemon has the state directory, and keeps daemons away while it works. A
// restore and a repair move what was there aside and never remove it; a crash in the middle leaves files aside and a
// journal that is incomplete, and the command can be repeated.
package offline
