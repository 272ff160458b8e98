// Package cli plays scripts on the built command line: each command as people and programs call it, with its exit code and
// the text or the JSON that it prints.
//
// A script is a file in testdata, in the language of testscript (github.com/rogpeppe/go-internal/testscript), with these
// additional commands:
//
//	code N ARG...    runs betcode with the arguments and wants exit code N
//	until TEXT ARG... runs betcode again and again until it prints TEXT
//	forms list FIELD ARG... compares all forms of a list with each other; 'forms show' those of an object,
//	                 'forms stream' those of entries that are printed as they come
//	start NAME ARG... runs betcode beside the script, with a pipe as standard input; its output is in NAME.out
//	say NAME TEXT    writes a line to it
//	end N NAME       ends its input and wants exit code N
//	interrupt N NAME presses Ctrl-C and wants exit code N
//	await FILE PATTERN waits until FILE, which another program writes, matches PATTERN
//	normal FILE      writes standard output of the last command to FILE, with ids, times and places replaced
//
// Each script has a HOME, a state directory and a daemon of its own, and the fake agent. Processes that a script leaves running
// are stopped at its end. "go test ./tests/cli -update" rewrites the expected output of scripts.
package cli
