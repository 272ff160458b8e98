// Package strays finds and ends agents that live and that no session follows: agents of a journal that was restored, and of
// sessions that were deleted or cannot be loaded.
//
// It works on run directories and processes, on the caller's goroutine, and keeps nothing. A process is ended only if its
// environment has the token of its run directory (package process). A daemon that dies meanwhile leaves the others to the next
// daemon, which begins with the same search.
package strays
