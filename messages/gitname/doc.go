// Package gitname checks names of branches and worktrees without git. It is pure. The command line checks plans with
// it, and the daemon arguments for git, so that both refuse the same names.
package gitname
