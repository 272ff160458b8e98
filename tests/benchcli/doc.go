// Command benchcli measures how long commands take that wait for no agent, as a person at a terminal sees it: from the
// start of the built program until it has ended, with a warm daemon that has many sessions.
//
//	make bench-cli                  everything; ROUNDS=n EACH=4s COMMANDS=regexp SESSIONS=n STRICT=1
//
// The program is that of make build, or the one that -program names.
//
// The journal is written through persistence: ten thousand sessions, every second one with a name, in two hundred directories, with
// a hundred events each: a million in all. A daemon indexes it. That takes a minute or two, and is kept in .cache/bench-cli for
// later runs, until the code that makes it changes. A run works on a copy. A few more sessions are made by the fake agent and wait
// for a person.
//
// Each figure is run some times in a row, alone, after three runs that do not count: 100 times, or as often as it can within four
// seconds, and five times at least. So a run ends within five minutes on a busy machine, too. The table has the median, the 99th
// percentile and the worst, beside the limit; the processor time of the command and of the daemon in a round; the load average of
// the machine; and what bounds the figure. The last line is for machines:
//
//	bench-cli: figures=N worst="ps --all" p50_ms=31.2 p99_ms=38.0 limit_ms=50 over=0 binary_mb=42.9 load=0.2-1.1 seconds=150
//
// The exit code is 1 if something could not be measured; with STRICT=1 also if a median is above its limit, or the binary above its
// own. A machine that others use makes figures worse: the load says so, and figures of processor time are less sensitive.
//
// # Adding a figure
//
// A figure is a value of type figure: a name, a limit and a function that measures one round. Commands are rows of the
// table in commands.go. Anything else, such as the first paint of the screen (screen_linux.go), is a function in a file of
// its own that returns figures, and a line in figures (figures.go).
//
// # Left out
//
// Commands that read or write as much as there is have no limit: journal backup, restore, repair and verify, session
// export. Those that start or stop processes are measured by tests/bench: daemon start, stop and restart. Commands for
// services of others (gitlab, gateway, proxy) wait for those.
package main
