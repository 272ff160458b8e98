// Package repository serves WorktreeService and GitRepoService: repositories, their branches and worktrees.
//
// It owns nothing. Changes of one repository are carried out one after the other and may take minutes, so calls wait until the
// daemon shuts down. A setup script is never taken from a request: only the file of the repository that trust covers, and the
// user's settings, can name one.
//
// Published clients number some fields in another way; published.go recognises and answers them.
package repository
