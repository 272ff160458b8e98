package console

import "os"

// InForeground is always true: consoles have no process groups that compete for input.
func InForeground(*os.File) bool { return true }

// IgnoreTerminalStops has nothing to do on Windows.
func IgnoreTerminalStops() {}
