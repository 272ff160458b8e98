// Package logfile writes a log to files of bounded size. The newest lines are in PATH,
// older ones in PATH.1, PATH.2 and so on.
//
// A rotation renames the full file and creates a new one. Each step is one atomic system
// call, so a process that is killed between two of them loses no line: it leaves a gap in
// the numbers, and the next rotation fills it. Several processes may write to one log. An
// flock on the full file lets one of them rotate at a time; the others find another file
// at the path and open that.
//
// If standard output or standard error is the log, it is redirected to the new file. So
// the output of a crash is at the end of the newest file.
package logfile
