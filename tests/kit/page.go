package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/coder/websocket"
)

// Page is one WebSocket of a browser. It is used by one goroutine.
type Page struct {
	Socket *websocket.Conn
	Frames []AgentLine // that were read so far

	seen int // by Wait
}

// Open opens /ws/client. Without an error status is 101.
func (b *Browser) Open() (page *Page, status int, err error) { return b.Dial("/ws/client") }

// Voice opens /ws/voice of a session, as Open does.
func (b *Browser) Voice(session string) (page *Page, status int, err error) {
	return b.Dial("/ws/voice/" + session)
}

// Dial opens a WebSocket of the portal. Without an error status is 101.
func (b *Browser) Dial(path string) (page *Page, status int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	socket, answer, err := websocket.Dial(ctx, b.Base+path, &websocket.DialOptions{ //nolint:bodyclose // the library has read it
		HTTPHeader: b.Header, Host: b.Header.Get("Host"),
	})
	if answer != nil {
		status = answer.StatusCode
	}
	if err != nil {
		return nil, status, err
	}
	socket.SetReadLimit(-1)
	return &Page{Socket: socket}, status, nil
}

// Close closes the socket.
func (p *Page) Close() { _ = p.Socket.CloseNow() } // it may be closed

// Register sends a Register of a generation, 1 to 3.
func (p *Page) Register(generation int, session string, more map[string]any) error {
	return p.Send(Registration(generation, session, more))
}

// Registration returns a Register of a page of a generation, 1 to 3. more are further members.
func Registration(generation int, session string, more map[string]any) map[string]any {
	m := map[string]any{
		"type": "Register", "session_id": session, "session_name": session, "auth_token": nil, "working_directory": "", "resuming": false,
		"git_branch": nil, "replay_after": nil, "client_version": nil,
	}
	if generation >= 2 {
		m["agent_type"], m["hostname"] = "claude", nil
	}
	if generation >= 3 {
		m["capabilities"], m["claude_args"] = []string{}, []string{}
	}
	for name, value := range more {
		m[name] = value
	}
	return m
}

// Speak sends audio.
func (p *Page) Speak(audio []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.Socket.Write(ctx, websocket.MessageBinary, audio)
}

// Send sends a frame: text as it is, anything else as JSON.
func (p *Page) Send(frame any) error {
	text, ok := frame.(string)
	if !ok {
		raw, err := json.Marshal(frame)
		if err != nil {
			return err
		}
		text = string(raw)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.Socket.Write(ctx, websocket.MessageText, []byte(text))
}

// Next reads one frame.
func (p *Page) Next() (AgentLine, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, raw, err := p.Socket.Read(ctx)
	if err != nil {
		return AgentLine{}, fmt.Errorf("read frame: %w", err)
	}
	l := AgentLine{Raw: string(raw)}
	if err := json.Unmarshal(raw, &l.Of); err != nil {
		return l, fmt.Errorf("frame %q: %w", raw, err)
	}
	p.Frames = append(p.Frames, l)
	return l, nil
}

// Wait reads until a frame that contains all texts, behind the one that was waited for before.
func (p *Page) Wait(texts ...string) (AgentLine, error) {
	for {
		for ; p.seen < len(p.Frames); p.seen++ {
			all := true
			for _, t := range texts {
				all = all && strings.Contains(p.Frames[p.seen].Raw, t)
			}
			if all {
				p.seen++
				return p.Frames[p.seen-1], nil
			}
		}
		if _, err := p.Next(); err != nil {
			var raw []string
			for _, f := range p.Frames {
				raw = append(raw, f.Raw[:min(len(f.Raw), 300)])
			}
			return AgentLine{}, fmt.Errorf("wait for %q: %w; frames:\n%s", texts, err, strings.Join(raw, "\n"))
		}
	}
}

// Ended reports whether the portal has closed the socket; it reads what comes before that.
func (p *Page) Ended() bool {
	for {
		if _, err := p.Next(); err != nil {
			return !errors.Is(err, context.DeadlineExceeded)
		}
	}
}
