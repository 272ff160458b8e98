package kit

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Portal is one running 'betcode gateway portal'.
type Portal struct {
	URL string // at which it is reached

	world   *World
	command *exec.Cmd
	log     *logBuffer
	done    chan struct{}
}

// Portal runs the portal for the world's daemon and returns when it is ready.
func (w *World) Portal(arguments ...string) (*Portal, error) {
	p := &Portal{world: w, log: &logBuffer{}, done: make(chan struct{})}
	p.command = exec.Command(w.Binary, append([]string{"gateway", "portal", "--listen", "127.0.0.1:0"}, arguments...)...)
	p.command.Env, p.command.Dir, p.command.Stderr = w.Environ(), w.Root, p.log
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start portal: %w", err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		defer close(p.done)
		_ = p.command.Wait() // how it ended is read from ProcessState
	}()
	p.URL = strings.TrimSpace(first)
	if err != nil || !strings.HasPrefix(p.URL, "http") {
		p.Kill()
		return nil, fmt.Errorf("the portal's first line is %q: %w\n%s", first, err, p.log)
	}
	return p, nil
}

// Log returns what the portal has written to its standard error so far.
func (p *Portal) Log() string { return p.log.String() }

// PID returns the portal's process.
func (p *Portal) PID() int { return p.command.Process.Pid }

// Done is closed when the process has ended.
func (p *Portal) Done() <-chan struct{} { return p.done }

// Kill ends the portal by SIGKILL.
func (p *Portal) Kill() {
	_ = p.command.Process.Kill() // it may have ended by itself
	<-p.done
}

// Stop ends the portal by SIGTERM and returns its exit code.
func (p *Portal) Stop() (int, error) {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, fmt.Errorf("stop portal: %w", err)
	}
	select {
	case <-p.done:
		return p.command.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		p.Kill()
		return 0, fmt.Errorf("the portal did not stop within %s\n%s", patience, p.log)
	}
}

// Memory returns the peak memory of the portal, in bytes.
func (p *Portal) Memory() (int, error) { return peak(p.command.Process.Pid) }

// Code returns a code for a login with scopes.
func (w *World) Code(name string, scopes ...string) (string, error) {
	return w.pair([]string{"gateway", "pair"}, name, scopes)
}

// SharedCode returns a code for a login that sees only sessions shared with its person.
func (w *World) SharedCode(name string, scopes ...string) (string, error) {
	return w.pair([]string{"gateway", "pair", "--shared"}, name, scopes)
}

// ProxyToken returns a token with which a foreign proxy registers sessions at the portal.
func (w *World) ProxyToken(name string) (string, error) {
	return w.say("gateway", "token", "--name", name)
}

func (w *World) pair(arguments []string, name string, scopes []string) (string, error) {
	for _, s := range scopes {
		arguments = append(arguments, "--scope", s)
	}
	return w.say(append(arguments, name)...)
}

// say runs a command and returns what it prints.
func (w *World) say(arguments ...string) (string, error) {
	command := exec.Command(w.Binary, arguments...)
	command.Env, command.Dir = w.Environ(), w.Root
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}
