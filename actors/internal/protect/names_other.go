//go:build !unix

package protect

// manyNames is not known on this system.
func manyNames(string) bool { return false }
