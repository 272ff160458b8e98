package kit

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Proxy is one running 'betcode proxy'.
type Proxy struct {
	Session string // that is registered; empty before that

	command *exec.Cmd
	log     *logBuffer
	first   chan error // the first line was read, or there is none
	done    chan struct{}
}

// Proxy runs a proxy for the world's daemon. It may not be registered yet: see [Proxy.Registered].
func (w *World) Proxy(arguments ...string) (*Proxy, error) {
	p := &Proxy{log: &logBuffer{}, first: make(chan error, 1), done: make(chan struct{})}
	p.command = exec.Command(w.Binary, append([]string{"proxy"}, arguments...)...)
	p.command.Env, p.command.Dir, p.command.Stderr = w.Environ(), w.Root, p.log
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	go func() {
		defer close(p.done)
		line, err := bufio.NewReader(out).ReadString('\n')
		p.Session = strings.TrimSpace(line)
		p.first <- err
		_ = p.command.Wait() // how it ended is read from ProcessState
	}()
	return p, nil
}

// Registered waits until the portal has registered the session.
func (p *Proxy) Registered() error {
	select {
	case err := <-p.first:
		if err != nil {
			<-p.done
			return fmt.Errorf("the proxy ended with %d before it was registered\n%s", p.command.ProcessState.ExitCode(), p.log)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the proxy was not registered within %s\n%s", patience, p.log)
	}
}

// Log returns what the proxy has written to its standard error so far.
func (p *Proxy) Log() string { return p.log.String() }

// PID returns the proxy's process.
func (p *Proxy) PID() int { return p.command.Process.Pid }

// Done is closed when the process has ended.
func (p *Proxy) Done() <-chan struct{} { return p.done }

// Kill ends the proxy by SIGKILL.
func (p *Proxy) Kill() {
	_ = p.command.Process.Kill() // it may have ended by itself
	<-p.done
}

// Ended waits until the proxy ends by itself, and returns its exit code.
func (p *Proxy) Ended() (int, error) {
	select {
	case <-p.done:
		return p.command.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		p.Kill()
		return 0, fmt.Errorf("the proxy did not end within %s\n%s", patience, p.log)
	}
}

// Stop ends the proxy by SIGTERM and returns its exit code.
func (p *Proxy) Stop() (int, error) {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, fmt.Errorf("stop proxy: %w", err)
	}
	return p.Ended()
}

// Memory returns the peak memory of the proxy, in bytes.
func (p *Proxy) Memory() (int, error) { return peak(p.command.Process.Pid) }
