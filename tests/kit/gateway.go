package kit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Gateway is one running 'betcode gateway socket'.
type Gateway struct {
	Path string // of its socket

	command *exec.Cmd
	log     *logBuffer
	done    chan struct{}
}

// AgentSocket is where a gateway of the world has its socket.
func (w *World) AgentSocket() string { return filepath.Join(w.Root, "maelstrom", "agent.sock") }

// Gateway runs a gateway for the world's daemon and returns when it is ready.
func (w *World) Gateway(arguments ...string) (*Gateway, error) {
	g := &Gateway{Path: w.AgentSocket(), log: &logBuffer{}, done: make(chan struct{})}
	g.command = exec.Command(w.Binary, append([]string{"gateway", "socket"}, arguments...)...)
	g.command.Env, g.command.Dir = append(w.Environ(), "MAELSTROM_SOCKET="+g.Path), w.Root
	g.command.Stderr = g.log
	g.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := g.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := g.command.Start(); err != nil {
		return nil, fmt.Errorf("start gateway: %w", err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		defer close(g.done)
		_ = g.command.Wait() // how it ended is read from ProcessState
	}()
	if want := `{"status":"ready","socketPath":"` + g.Path + `"}` + "\n"; err != nil || first != want {
		g.Kill()
		return nil, fmt.Errorf("the gateway's first line is %q: %w\n%s", first, err, g.log)
	}
	return g, nil
}

// Log returns what the gateway has written to its standard error so far.
func (g *Gateway) Log() string { return g.log.String() }

// PID returns the gateway's process.
func (g *Gateway) PID() int { return g.command.Process.Pid }

// Done is closed when the process has ended.
func (g *Gateway) Done() <-chan struct{} { return g.done }

// Kill ends the gateway by SIGKILL.
func (g *Gateway) Kill() {
	_ = g.command.Process.Kill() // it may have ended by itself
	<-g.done
}

// Stop ends the gateway by SIGTERM and returns its exit code.
func (g *Gateway) Stop() (int, error) {
	if err := g.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, fmt.Errorf("stop gateway: %w", err)
	}
	select {
	case <-g.done:
		return g.command.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		g.Kill()
		return 0, fmt.Errorf("the gateway did not stop within %s\n%s", patience, g.log)
	}
}

// AgentLine is one line of a gateway: as it came, and decoded.
type AgentLine struct {
	Raw string
	Of  map[string]any
}

// Is reports whether the line is of a type, and for session_status of a status as in
// "session_status idle".
func (l AgentLine) Is(kind string) bool {
	status, _ := l.Of["status"].(string)
	return l.Of["type"] == kind || status != "" && kind == fmt.Sprint(l.Of["type"], " ", status)
}

// Text returns a member as text.
func (l AgentLine) Text(name string) string {
	s, _ := l.Of[name].(string)
	return s
}

// Agent is one client of a gateway. It is used by one goroutine.
type Agent struct {
	Conn  net.Conn
	Lines []AgentLine // that were read so far

	in   *bufio.Reader
	seen int // by Wait
}

// Dial connects a client.
func (g *Gateway) Dial() (*Agent, error) {
	conn, err := net.Dial("unix", g.Path)
	if err != nil {
		return nil, err
	}
	return &Agent{Conn: conn, in: bufio.NewReaderSize(conn, 1<<16)}, nil
}

// Send sends a line: text as it is, anything else as JSON.
func (a *Agent) Send(line any) error {
	text, ok := line.(string)
	if !ok {
		raw, err := json.Marshal(line)
		if err != nil {
			return err
		}
		text = string(raw)
	}
	_, err := a.Conn.Write([]byte(text + "\n"))
	return err
}

// Next reads one line.
func (a *Agent) Next() (AgentLine, error) {
	if err := a.Conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return AgentLine{}, err
	}
	raw, err := a.in.ReadString('\n')
	if err != nil {
		return AgentLine{}, fmt.Errorf("read line: %w", err)
	}
	l := AgentLine{Raw: strings.TrimSuffix(raw, "\n")}
	if err := json.Unmarshal([]byte(raw), &l.Of); err != nil {
		return l, fmt.Errorf("line %q: %w", raw, err)
	}
	a.Lines = append(a.Lines, l)
	return l, nil
}

// Wait reads until a line of that type, see [AgentLine.Is], behind the one that was waited for before.
func (a *Agent) Wait(kind string) (AgentLine, error) {
	for {
		for ; a.seen < len(a.Lines); a.seen++ {
			if l := a.Lines[a.seen]; l.Is(kind) {
				a.seen++
				return l, nil
			}
		}
		if _, err := a.Next(); err != nil {
			return AgentLine{}, fmt.Errorf("wait for %s: %w; lines:\n%s", kind, err, strings.Join(a.Types(), "\n"))
		}
	}
}

// Types lists the types of the lines that were read; runs of one type count once.
func (a *Agent) Types() []string {
	var all []string
	for _, l := range a.Lines {
		kind := l.Text("type")
		if kind == "session_status" {
			kind = l.Text("status")
		}
		all = append(all, kind)
	}
	return slices.Compact(all)
}

// Ended reports whether the gateway has closed the connection.
func (a *Agent) Ended() bool {
	_, err := a.Next()
	var timeout net.Error
	return err != nil && (!errors.As(err, &timeout) || !timeout.Timeout())
}

// Memory returns the peak memory of the gateway, in bytes.
func (g *Gateway) Memory() (int, error) { return peak(g.command.Process.Pid) }

// peak returns the peak memory of a process, in bytes.
func peak(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read the gateway's memory: %w", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0, fmt.Errorf("read the gateway's memory: %w", err)
	}
	return kib << 10, nil
}
