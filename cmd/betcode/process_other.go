//go:build !unix

package main

// processEnded knows nothing of processes here; the socket has to do.
func processEnded(int) bool { return true }
