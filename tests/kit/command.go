package kit

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Command is a running command of a world that serves: [Gateway], [Portal] or [Proxy].
type Command struct {
	name    string // for errors
	command *exec.Cmd
	log     *logBuffer
	done    chan struct{}
}

// command starts a command and returns its output. The caller must call wait.
func (w *World) command(name string, env []string, arguments ...string) (*Command, *bufio.Reader, error) {
	c := &Command{name: name, command: exec.Command(w.Binary, arguments...), log: &logBuffer{}, done: make(chan struct{})}
	c.command.Env, c.command.Dir, c.command.Stderr = append(w.Environ(), env...), w.Root, c.log
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", name, err)
	}
	return c, bufio.NewReader(out), nil
}

func (c *Command) wait() {
	defer close(c.done)
	_ = c.command.Wait() // how it ended is read from ProcessState
}

// Log returns what the command has written to its standard error so far.
func (c *Command) Log() string { return c.log.String() }

// PID returns the process of the command.
func (c *Command) PID() int { return c.command.Process.Pid }

// Done is closed when the process has ended.
func (c *Command) Done() <-chan struct{} { return c.done }

// Kill ends the command by SIGKILL.
func (c *Command) Kill() {
	_ = c.command.Process.Kill() // it may have ended by itself
	<-c.done
}

// Ended waits until the command ends, and returns its exit code.
func (c *Command) Ended() (int, error) {
	select {
	case <-c.done:
		return c.command.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		c.Kill()
		return 0, fmt.Errorf("the %s did not end within %s\n%s", c.name, patience, c.log)
	}
}

// Stop ends the command by SIGTERM and returns its exit code.
func (c *Command) Stop() (int, error) {
	if err := c.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, fmt.Errorf("stop %s: %w", c.name, err)
	}
	return c.Ended()
}

// Memory returns the peak memory of the command, in bytes.
func (c *Command) Memory() (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.PID()))
	if err != nil {
		return 0, fmt.Errorf("read the memory of the %s: %w", c.name, err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0, fmt.Errorf("read the memory of the %s: %w", c.name, err)
	}
	return kib << 10, nil
}
