// Package bench measures the whole path of a byte: agents in processes of their
// own, the built daemon, its journal on a disk with fsync on, and clients on its
// Unix socket, which live in the benchmark's process.
//
//	go test -run '^$' -bench . -v ./tests/bench
//
// prints the figures in the format of benchmarks and, with -v, as a table for
// the README. Every figure says next to nothing without the machine, so its
// facts come first, and wherever there is a floor (the same bytes moved by the
// bare building blocks, in the same run) the ratio to it is printed too:
//
//	LineToClient  a line's way from the agent's write to the client's receipt;
//	              floor: append, notice, read, one commit, one push
//	Flood         agents as fast as they can; ceiling: the slower of bare group
//	              commit and bare gRPC streams
//	Replay        a client reads a long history; ceiling: a bare gRPC stream
//	Gather        what the journal's gathering window costs and saves
//
// Most of them drive the command as it is built for users. Those that need what
// it does not offer, another gathering window, the journal's own counters, a
// profile, drive this package's test binary, which can be a daemon of the same
// parts (see linkedDaemon).
//
// # Environment
//
//	BETCODE_BENCH_BINARY   the daemon to drive, instead of one built from here
//	BETCODE_BENCH_ENV      more environment for the daemon, such as "GOGC=400"
//	BETCODE_BENCH_PROFILE  a directory for daemon.cpu.prof and daemon.allocs.prof,
//	                       written by the benchmarks that drive the linked daemon
//	TMPDIR                 where the journals are; must be on a disk
//
// Timing decides no test. TestQuick, which is part of the ordinary tests, only
// checks that the benchmarks count right; TestIdle holds what a daemon without
// work may cost.
package bench
