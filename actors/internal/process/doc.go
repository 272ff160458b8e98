// Package process starts agent processes that outlive the daemon, finds them
// again, and ends them.
//
// It has no actor and logs nothing: a run actor calls it from a worker, and gets results
// and errors. [Prepare] makes the run directory,
// [Spawn] starts an agent in it, [Adopt] finds the agent of an earlier daemon
// or of an actor that crashed. Both give a [Process]: a set of descriptors and
// one goroutine, which [Process.Close] releases without touching the agent.
//
// # The run directory
//
// Layout version [Format]; 0700, on a local filesystem, one per run, never used
// twice.
//
//	file            made by    written by   what it is
//	stdin           Prepare    daemon       FIFO; the agent holds it open itself, so it never sees an end
//	stdout          Prepare    agent        spool, append only; package spool reads it
//	stderr          Prepare    agent        standard error, append only
//	lock            Prepare    -            flock: held by Spawn, then by the launcher as long as it lives
//	launcher.json   launcher   launcher     who runs since when, or why the agent could not be started
//	exit.json       launcher   launcher     how the agent ended
//	cgroup          Spawn      daemon       path of the agent's control group, if it has one
//	*.tmp           launcher   launcher     a record before its rename
//
// Both records appear whole, by rename, and never change; their space is
// reserved before the agent starts, so that a full disk cannot swallow an exit
// status. They are the types [launch.Started] and [launch.Ended].
//
// # What survives what
//
//	killed            what happens                           what a daemon finds later
//	daemon            nothing: the launcher has a session    agent adopted; real exit status when it ends
//	                  of its own and waits for the agent
//	launcher          nothing: the agent lives on            agent adopted; it ends with Known=false
//	launcher, before  nothing                                agent found by the token in its environment and
//	launcher.json                                            the FIFO it reads from
//	agent             launcher writes exit.json and ends     Ended with the signal
//	daemon in Spawn   the launcher finishes the start        adopted, or NeverStarted with the reason
//	daemon, not back  an idle agent is ended by its          Ended, with the reason LeaseEnded
//	                  launcher after 24 h (Spec.Lease)
//	machine           all                                    Ended (another boot id); NeverStarted only if nothing
//	                                                         shows that the agent ever ran
//
// # Whose process is it
//
// Pids are reused. A process belongs to a run if boot id and start time are the recorded
// ones and, where its environment can be read, the token in it is the run's. That is
// checked after opening a pidfd; from then on waiting and signals go through the pidfd,
// which means this process only.
// A process that fails the check is neither adopted nor signalled.
//
// # What an agent leaves behind
//
// Where the system permits it, the agent runs in a control group of its own, which is
// killed as a whole. Elsewhere, and in addition, its descendants are found by their parents
// and by the token in their environment. A process that left its session, became an orphan
// and scrubbed its environment after the launcher was killed is not found.
//
// # Writing to the agent
//
// A torn line ends the agent, and a writer may be killed at any time.
// [Process.WriteLine] makes one write of a line, and only if the kernel will
// take all of it: at most PIPE_BUF, or into an empty pipe that is large enough.
// What is longer than that pipe goes through [Process.WriteLong], which can be
// torn, so its caller keeps durable marks around it.
//
// # Other systems
//
// Everything above is Linux. Other Unix systems have no pidfd (the process table is polled
// every 250 ms), no token check, no resizing of pipes (a line longer than PIPE_BUF is
// TooLong) and no Tree, and start times only where the system reports them.
// On Windows everything is Unimplemented.
package process
