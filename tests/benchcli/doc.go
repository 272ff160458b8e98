// Command benchcli measures how long commands take that wait for no agent, as a person at a terminal sees it: from the
// start of the built program until it has ended, with a warm daemon that has many sessions.
//
//	make bench-cli                  everything; ROUNDS=n COMMANDS=regexp SESSIONS=n
//
// The journal is written through persistence before the daemon starts: ten thousand sessions, every second one with a name,
// in two hundred directories, with a hundred events each: a million in all. A few more sessions are made by the fake agent and wait for a person.
//
// Each figure is run some times in a row, alone, after three runs that do not count. The table has the median, the 99th
// percentile and the worst, beside the limit; the last line is for machines:
//
//	bench-cli: commands=N worst="ps --all" p99_ms=31.2 limit_ms=50 over=0 binary_mb=42.9
//
// The exit code is 1 if a median is above its limit, or the binary above its own. The percentile is reported and decides
// nothing: a machine that others use has it from them.
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
