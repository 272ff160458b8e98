//go:build !linux && !darwin

package process

// networkFilesystem cannot tell on this system.
func networkFilesystem(string) string { return "" }
