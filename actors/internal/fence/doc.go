// Package fence decides which paths a fenced agent may write to.
//
// The kernel's part is Landlock: the launcher restricts itself to the paths of [Project.Plan]
// before it starts the agent, and the agent's descendants inherit the restriction (see package
// launch). Landlock has only allowed places; nothing below an allowed directory can be
// excluded again. Therefore Plan refuses a place that contains a directory of the daemon.
//
// A fence does not restrict reading, the network, and other programs that act on requests
// over a socket (a session bus, a container daemon, an ssh agent).
package fence
