// Package repository serves WorktreeService and GitRepoService: repositories, their branches and worktrees.
//
// The package owns nothing. Changes of one repository are executed in order and may take minutes, so calls wait until
// the daemon shuts down. A request cannot provide a setup script: only the file of the repository that trust covers,
// and the user's settings, can.
//
// Published clients number some fields differently; published.go recognises and answers them.
package repository
