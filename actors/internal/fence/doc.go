// Package fence decides what a fenced agent may write to.
//
// The kernel's part is Landlock: the launcher restricts itself to the paths of [Plan]
// before it starts the agent, and everything the agent starts inherits that (see package
// launch). Landlock knows allowed places only; nothing below an allowed directory can be
// taken out again. So Plan refuses a place that holds a directory of the daemon.
//
// What a fence does not hold: reading, the network, and what other programs do when they
// are asked to over a socket (a session bus, a container daemon, an ssh agent).
package fence
