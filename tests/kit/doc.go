// Package kit drives the built daemon from outside, for tests and for the demo: it starts real
// daemons in directories of their own, calls them through gRPC only, kills them, and looks for
// leftovers.
//
// The package does not touch the home directory of the user: HOME, the state, the sockets and all
// files of the agent are in a temporary directory ([World]). It ends processes by pid, and only
// those that it started.
package kit
