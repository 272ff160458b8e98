package kit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Gateway is one running 'betcode gateway socket'.
type Gateway struct {
	*Command

	Path string // of its socket
}

// AgentSocket is where a gateway of the world has its socket.
func (w *World) AgentSocket() string { return filepath.Join(w.Root, "maelstrom", "agent.sock") }

// Gateway runs a gateway for the world's daemon and returns when it is ready.
func (w *World) Gateway(arguments ...string) (*Gateway, error) {
	g := &Gateway{Path: w.AgentSocket()}
	var out *bufio.Reader
	var err error
	if g.Command, out, err = w.command("gateway", []string{"MAELSTROM_SOCKET=" + g.Path}, append([]string{"gateway", "socket"}, arguments...)...); err != nil {
		return nil, err
	}
	first, err := out.ReadString('\n')
	go g.wait()
	if want := `{"status":"ready","socketPath":"` + g.Path + `"}` + "\n"; err != nil || first != want {
		g.Kill()
		return nil, fmt.Errorf("the gateway's first line is %q: %w\n%s", first, err, g.log)
	}
	return g, nil
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
