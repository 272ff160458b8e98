//go:build !failpoint || !unix

package failpoint

// Enabled reports whether this build has failpoints.
const Enabled = false

// Hit does nothing in this build.
func Hit(string) {}

// Fail returns nil in this build.
func Fail(string) error { return nil }
