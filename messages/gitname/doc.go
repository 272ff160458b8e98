// Package gitname checks names of branches and worktrees without git. It is pure: the command line checks the plan in a file with
// it, and the daemon what it hands to git, so both refuse the same names.
package gitname
