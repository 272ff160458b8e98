// Package commands attacks the command line by what it reads and writes as its person: files that an
// agent has replaced, names that a shell would run, and an environment that an agent has made.
package commands
