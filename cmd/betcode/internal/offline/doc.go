// Package offline works on files without a daemon: it reads, copies, restores and repairs journals, and checks rules in
// settings files.
//
// Its answers about a journal have the form of the daemon's, so that a command prints both in the same way. A function
// that changes files refuses if a daemon has the state directory, and keeps daemons away while it works. A restore and
// a repair move existing files aside and never remove them. A crash in the middle leaves files aside and an incomplete
// journal; the command can be repeated.
package offline
