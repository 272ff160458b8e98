// Package kit drives the built daemon from outside, for tests and for the demo:
// it starts real daemons in directories of their own, talks to them through gRPC
// only, kills them, and looks at what is left.
//
// Nothing here touches the home directory of the user: HOME, the
// state, the sockets and everything of the agent lie in a temporary directory
// ([World]). Processes are ended by pid, and only those that were started here.
package kit
