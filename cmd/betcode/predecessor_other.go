//go:build !linux

package main

// seen tells nothing: on this system daemons can only be asked.
func seen(int) (background, bool) { return background{}, false }

func inService(int) bool { return false }

// ownErrorFile cannot be told on this system.
func ownErrorFile() string { return "" }
