// Package fuzzshell compares the permission rules with real shells. Its test makes
// up shell commands from a grammar full of unusual constructs, asks the
// rules about each, and runs those that they allow in a temporary directory, with
// bash, dash, zsh and mksh where they are installed. Every program on the PATH is a
// stub that writes its name. There are two promises:
//
//	allow Bash(git *) and a few more                    no other stub ever runs
//	allow Bash, deny Bash(rm *), deny Bash(curl -x *)   neither of the two ever runs
//
// The same seed gives the same commands. A failure prints the command and how to run it
// again; it belongs into testdata/corpus.txt, one Go string a line, which is
// tried first. The environment sets the rest:
//
//	BETCODE_FUZZ_SEED=n     another seed; 1 by default
//	BETCODE_FUZZ_COUNT=n    so many commands
//	BETCODE_FUZZ_TIME=10m   commands until the time is over, instead of a number
//	BETCODE_FUZZ_ONLY=n     only that command of the seed
package fuzzshell
