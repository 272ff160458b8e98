//go:build !linux

package spool

// Punches says that the room of what is archived is given back while the writer
// lives: not on this system.
const Punches = false

func punch(string, int64) error { return nil }
