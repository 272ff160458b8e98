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

// shield is called when the agent has been started, because a child inherits as ignored
// the signals that package signal ignores.
func shield() { signal.Ignore(shielded...) }

// vigil waits for the agent, without a limit, on this system.
type vigil struct {
	agent  int
	reason string
}

func keepVigil(agent int, _ Params) vigil { return vigil{agent: agent} }

func (vigil) options() int { return 0 }
func (vigil) sleep()       {}

// contain does nothing: there are no control groups on this system.
func contain(*syscall.SysProcAttr, string) bool { return false }
func uncontain(*syscall.SysProcAttr)            {}

func smallPages(string, []string) {}

func hugePages(bool) {}

// forkFenced refuses, because an agent is not started without the fence that it was to have.
func forkFenced(Params, *syscall.ProcAttr) (int, Stage, error) {
	return 0, StageFence, syscall.ENOSYS
}

// enter changes to the agent's directory.
func enter(p Params) syscall.Errno { return number(syscall.Chdir(p.Dir)) }
