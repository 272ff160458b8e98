// Probe is what a hostile tool of an agent would be if it knew the kernel's interface: it
// makes the system calls that a shell has no command for. Scenarios of tests/attack start
// it, inside and outside of fences.
//
//	probe cross PLAN        tries each way out of a fence that is known; PLAN is JSON
//	probe victim FILE       writes "ready" into FILE, then the name of each signal that it gets
//	probe call SOCKET FILE  makes each published call over a socket, and writes what came back
//	probe lines SOCKET LINE FILE  sends a line to a socket, and writes what came back
//	probe adopt COMMAND     is a subreaper, and runs COMMAND as an orphan with a clean environment
//
// It owns nothing that outlives it but the orphan, and promises nothing but one line for
// each way that led out. A way that the system does not have counts as closed.
package main
