//go:build !failpoint || !unix

package failpoint

// Enabled reports whether this build has failpoints.
const Enabled = false

// Hit says that a place is reached.
func Hit(string) {}

// Fail says that a place is reached where an error can be returned.
func Fail(string) error { return nil }
