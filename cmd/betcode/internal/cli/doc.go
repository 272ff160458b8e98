// Package cli is the command line of betcode: the table of commands, their flags and help. A command is a file here; a group of
// commands with several files is a package below (such as journal and permission). Package base has what all of them share.
//
// A command reads its flags, asks the daemon or one of the packages beside this one, and prints the answer: as a table or
// sentences for a person, as JSON with the name of a schema for programs. Its error becomes an exit code and a sentence in
// package exit. Flags may stand anywhere on the line (args.go).
//
// Other packages do the work: host is the daemon in this process, launch starts and replaces daemons, talk is chat and run,
// offline works on journals and settings without a daemon, render shows events, client is the connection to a daemon.
package cli
