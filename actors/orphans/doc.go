// Package orphans finds and ends live agents that no session supervises: agents of a journal that was restored, and of
// sessions that were deleted or cannot be loaded.
//
// It works on run directories and processes, on the caller's goroutine, and has no state. A process is ended only if its
// environment has the token of its run directory (package process). If the daemon crashes meanwhile, the next daemon ends the
// rest, because it begins with the same search.
package orphans
