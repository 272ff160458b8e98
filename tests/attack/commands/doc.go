// Package commands attacks the command line through its inputs: files that an agent has replaced,
// names that a shell would run, and an environment that an agent has set.
package commands
