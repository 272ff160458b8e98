package console

import "os"

// inForeground is always true: consoles have no process groups that compete for input.
func inForeground(*os.File) bool { return true }

// ignoreTerminalStops has nothing to do on Windows.
func ignoreTerminalStops() {}
