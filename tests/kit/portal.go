package kit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/coder/websocket"
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

// Memory returns the most memory that the portal has had, in bytes.
func (p *Portal) Memory() (int, error) { return peak(p.command.Process.Pid) }

// Code returns a code for a login with scopes.
func (w *World) Code(name string, scopes ...string) (string, error) {
	return w.pair([]string{"gateway", "pair"}, name, scopes)
}

// SharedCode returns a code for a login that sees only what is shared with its person.
func (w *World) SharedCode(name string, scopes ...string) (string, error) {
	return w.pair([]string{"gateway", "pair", "--shared"}, name, scopes)
}

// ProxyToken returns the token with which a proxy of somebody else registers sessions at the portal.
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

// Browser is one browser: its cookies, and an Origin. It is used by one goroutine.
type Browser struct {
	Base   string
	Header http.Header // of every request

	client http.Client
}

// Browser returns a browser that comes from the portal's own page.
func (p *Portal) Browser() *Browser { return NewBrowser(p.URL) }

// NewBrowser returns a browser that comes from the page of a portal at that URL.
func NewBrowser(portal string) *Browser {
	b := &Browser{Base: portal, Header: http.Header{"Origin": {portal}}}
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.client.Timeout = patience
	return b
}

// Login tries to exchange a code for a cookie, and returns the status. A browser that has to get in uses [Browser.Enter].
func (b *Browser) Login(code string) (int, error) {
	status, header, _, err := b.Do(http.MethodPost, "/api/auth/login", url.Values{"code": {code}}.Encode())
	b.keep(header)
	return status, err
}

// Enter logs in, or says why not.
func (b *Browser) Enter(code string) error {
	status, header, body, err := b.Do(http.MethodPost, "/api/auth/login", url.Values{"code": {code}}.Encode())
	if err == nil && status != http.StatusSeeOther {
		err = fmt.Errorf("the portal answers %d: %s", status, strings.TrimSpace(body))
	}
	if err != nil {
		return fmt.Errorf("log in at %s: %w", b.Base, err)
	}
	b.keep(header)
	return nil
}

// keep keeps the cookies of an answer.
func (b *Browser) keep(header http.Header) {
	for _, c := range (&http.Response{Header: header}).Cookies() {
		b.Header.Set("Cookie", c.Name+"="+c.Value)
	}
}

// Ask sends a request, with a JSON body if there is one, and returns the answer.
func (b *Browser) Ask(method, path, body string) (status int, header http.Header, answer string, err error) {
	return b.send(method, path, "application/json", body)
}

// JSON sends a request with a JSON body, text as it is, and returns the answer.
func (b *Browser) JSON(method, path string, body any) (status int, answer string, err error) {
	text, ok := body.(string)
	if !ok && body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, "", err
		}
		text = string(raw)
	}
	status, _, answer, err = b.send(method, path, "application/json", text)
	return status, answer, err
}

// Upload sends a body of a type, and returns the answer.
func (b *Browser) Upload(path, kind, content string) (status int, answer string, err error) {
	status, _, answer, err = b.send(http.MethodPost, path, kind, content)
	return status, answer, err
}

// Do sends a request with a form, if it is not empty, and returns the answer.
func (b *Browser) Do(method, path, form string) (status int, header http.Header, body string, err error) {
	return b.send(method, path, "application/x-www-form-urlencoded", form)
}

func (b *Browser) send(method, path, kind, content string) (status int, header http.Header, body string, err error) {
	r, err := http.NewRequestWithContext(context.Background(), method, b.Base+path, strings.NewReader(content))
	if err != nil {
		return 0, nil, "", err
	}
	r.Header = b.Header.Clone()
	r.Host = b.Header.Get("Host")
	if content != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(raw), err
}

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
