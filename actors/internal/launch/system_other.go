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

// vigil waits for the agent, however long, on this system.
type vigil struct {
	agent  int
	reason string
}

func keepVigil(agent int, _ Params) vigil { return vigil{agent: agent} }

func (vigil) options() int { return 0 }
func (vigil) sleep()       {}

// There are no control groups on this system.
func contain(*syscall.SysProcAttr, string) bool { return false }
func uncontain(*syscall.SysProcAttr)            {}

func smallPages(string, []string) {}

func hugePages(bool) {}

// forkFenced refuses: an agent is not started with less than it was to have.
func forkFenced(Params, *syscall.ProcAttr) (int, Stage, error) {
	return 0, StageFence, syscall.ENOSYS
}

// enter goes to the agent's directory.
func enter(p Params) syscall.Errno { return number(syscall.Chdir(p.Dir)) }
