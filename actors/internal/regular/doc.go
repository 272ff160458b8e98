// Package regular reads files that an agent may have put something else in the place of: a
// pipe without a writer, a device, a file without an end. None of them makes the
// reader wait, and none is kept in memory beyond a bound that the caller names.
//
// It holds no state. Symbolic links are followed: what is read must be a regular file,
// wherever it is.
package regular
