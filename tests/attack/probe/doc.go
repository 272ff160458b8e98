// Probe is a hostile tool of an agent: it makes system calls for which a shell has no command.
// Scenarios of tests/attack start it, inside and outside of fences.
//
//	probe cross PLAN        tries each way out of a fence that is known; PLAN is JSON
//	probe victim FILE       writes "ready" into FILE, then the name of each signal that it gets
//	probe call SOCKET FILE  makes each published call over a socket, and writes what came back
//	probe lines SOCKET LINE FILE  sends a line to a socket, and writes what came back
//	probe adopt COMMAND     is a subreaper, and runs COMMAND as an orphan with a clean environment
//
// Nothing of it outlives it but the orphan. It prints one line for each way that succeeded. A way
// that the system does not have counts as closed.
package main
