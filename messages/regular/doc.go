// Package regular opens files in whose place an agent may have put something else: a pipe
// without a writer, a device, a file without an end, a link. None of them makes the caller
// wait, and none is kept in memory beyond a bound that the caller names.
//
// It holds no state. Reading follows symbolic links: the file at their end must be a regular
// one. Writing does not follow them.
package regular
