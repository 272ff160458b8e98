// Command betcode keeps coding agents alive: it is the daemon, and the client that
// talks to it.
//
//	main.go, app.go     the program and the table of commands
//	args.go             flags may stand anywhere on the line
//	exit.go             one table of exit codes
//	connect.go          finding the daemon, or starting one
//	daemon*.go          daemon run, start, stop, restart, status; predecessor*.go: how one was started
//	run*.go             one prompt, unattended
//	chat*.go, inbox.go  a conversation on the terminal
//	render.go           events as text
//	session.go …        the other commands
//	output.go           tables, JSON, colours
//
// Data goes to standard output, talk to standard error. What a command prints for
// programs (--json) is a contract with a name, for example
// "betcode.session.list/v1". The client library, with the reconnection, is in
// internal/client.
package main
