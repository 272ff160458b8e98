//go:build !linux && !darwin

package process

// networkFilesystem always returns "": this system does not report it.
func networkFilesystem(string) string { return "" }
