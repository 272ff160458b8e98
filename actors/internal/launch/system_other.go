//go:build unix && !linux

package launch

import (
	"os"
	"os/signal"
	"syscall"
)

var shielded = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE}

func arguments() []string { return os.Args }

func prepare() {
	syscall.CloseOnExec(LockFD)
	syscall.CloseOnExec(ReportFD)
}

// shield is called when the agent has been started: what package signal ignores,
// a child inherits as ignored.
func shield() { signal.Ignore(shielded...) }

func smallPages(string, []string) {}

func hugePages(bool) {}
