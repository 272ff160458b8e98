// Package logfile is a log in files of bounded size. The newest lines are in PATH, older
// ones in PATH.1, PATH.2 and so on.
//
// A file that is full is renamed, and a new one is made. Each step is one call of the
// system that happens or does not, so a process that is killed between two of them loses
// nothing but the place of a file: the next one goes on from there. Several processes may
// write to one log. Only one of them rotates it at a time (an flock on the file that is
// full); the others notice that the path means another file by now, and open that.
//
// Where standard output or standard error are the file, they follow it, so that what the
// runtime prints when the process crashes is at the end of the newest file.
package logfile
