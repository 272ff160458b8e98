//go:build !linux

package main

// predecessor cannot be told on this system: the next daemon is run as this
// command's flags and environment say.
func predecessor(int) (background, bool) { return background{}, false }
