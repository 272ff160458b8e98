// Package bench measures the whole path of a byte: agents in processes of their own, the built
// daemon, its journal on a disk with fsync on, and clients on its Unix socket. Clients run in the
// benchmark's process, except those whose load would delay the measured ones.
//
//	make bench                     everything that fits into ten minutes
//	make bench-compare BASE=main   the change against another revision
//	make profile LOAD=Flood        where the daemon spends its time
//	make soak SOAK=1h              what takes longer
//
// A figure is meaningless without the machine, so the output begins with the facts of the machine.
// Where there is a floor (the same bytes moved by the bare building blocks, in the same run) it
// also has the ratio to it. The output is in the format of benchmarks, then a table for the README,
// then one line for machines.
//
//	Flood      64 agents as fast as they can; ceiling: the slower of bare group
//	           commit and bare gRPC streams
//	Day        50 agents, 30 lines a second each, two clients; floor of the way of
//	           a line: append, notice, read, one commit, one push
//	Loud       one agent as fast as it can beside fifty at 30 lines a second
//	Audience   500 clients of one session
//	Many       200 sessions with two clients each; 500 clients of one session; all at
//	           30 lines a second
//	Gateway    the flood of 16 agents through the gateway of the agent socket; beside the
//	           same over gRPC
//	Pages      500 pages of the portal show one session at 30 lines a second: pages of one
//	           login, and of as many logins
//	Replay     a million events: to one client, to a hundred, the first of them;
//	           ceiling: bare gRPC streams
//	Growth     what an append costs when there is much already
//	Start      a daemon with a past of ten thousand sessions and a gigabyte
//	Rest       the same daemon without requests
//	Adopt      a hundred agents whose daemon was killed
//	Streams    the memory of a client that only watches
//	Stalled    a hundred clients that stop reading
//	Hostile    lines of 20 MB, and 50 MB/s of what is no JSON
//	Soak…      the same day for an hour; ten times the growth
//	Linked…    for profiles, and for a daemon with another gathering window
//
// Most of them drive the command as it is built for users. Those that need another gathering
// window, the journal's counters or a profile drive this package's test binary, which can be a
// daemon of the same packages (see linkedDaemon).
//
// # Environment
//
//	BETCODE_BENCH_BINARY   the daemon to drive, instead of one built from here
//	BETCODE_BENCH_ENV      more environment for the daemon, such as "GOGC=400"
//	BETCODE_BENCH_JSON     a file for all figures and the machine
//	BETCODE_BENCH_PROFILE  a directory for daemon.cpu.prof and daemon.allocs.prof,
//	                       written by the benchmarks that drive the linked daemon
//	BETCODE_BENCH_TRACE    if set, daemon.trace instead of daemon.cpu.prof: of the first
//	                       two seconds of the last run
//	BETCODE_BENCH_SOAK     how long the long haul lasts; without it what takes long
//	                       is left out
//	TMPDIR                 where the journals are; must be on a disk
//
// Timing decides no test. TestQuick, which is part of the ordinary tests, only
// checks that the benchmarks count right; TestIdle holds what a daemon without
// work may cost.
package bench
