package main

import (
	"os"
	"syscall"
)

// obey is the goroutine that handles signals.
//
// SIGINT closes the running turn properly, with a result unless a permission is
// asked for, and the exit code is 0. SIGTERM and SIGHUP end the process at once:
// no result, the transcript as it is, codes 143 and 129.
func (a *agent) obey(signals <-chan os.Signal) {
	for s := range signals {
		if a.stubborn.Load() {
			continue
		}
		a.mu.Lock()
		switch {
		case s == syscall.SIGTERM:
			a.terminate(143)
		case s == syscall.SIGHUP:
			a.terminate(129)
		case a.turn == nil || a.hung.Load():
			a.exit(0)
		default:
			a.ending, a.turn.sigint = true, true
			a.turn.silent = len(a.asks) > 0
			a.withdraw()
			a.turn.stop(errInterrupted)
		}
		a.mu.Unlock()
	}
}

// terminate exits now. It kills a running tool, and still prints its result.
func (a *agent) terminate(code int) {
	if a.turn != nil {
		if id := a.turn.killTool(); id != "" && !a.exited {
			a.turn.toolResult(id, "Exit code 137", true, "Error: Exit code 137", nil)
			a.turn.requesting()
		}
	}
	a.exit(code)
}
