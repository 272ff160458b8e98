package foreignproxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// connection is one connection of a proxy.
type connection struct {
	proxy  *Proxy
	socket *websocket.Conn
	leave  context.CancelFunc

	frames chan incoming

	mu   sync.Mutex
	out  []any
	more chan struct{}

	answered time.Time // the last heartbeat; guarded by mu of the proxy
	file     frame     // the FileUploadStart of the file that arrives; guarded by mu of the proxy
}

// incoming is a frame, or why there are no more.
type incoming struct {
	text bool
	raw  []byte
	err  error
}

// receive reads frames until the connection ends.
func (c *connection) receive(ctx context.Context) {
	defer close(c.frames)
	for {
		kind, raw, err := c.socket.Read(ctx)
		select {
		case c.frames <- incoming{kind == websocket.MessageText, raw, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// queue hands a frame to the writer. Without a connection it is lost.
func (c *connection) queue(frames ...any) {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.out = append(c.out, frames...)
	c.mu.Unlock()
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// connect makes one connection and serves it until it ends. delay is that of a ServerShutdown. An
// error ends the proxy.
func (p *Proxy) connect(ctx context.Context, again bool) (delay time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	socket, _, err := websocket.Dial(ctx, p.o.URL+"/ws/session", nil) //nolint:bodyclose // the library has read it
	if err != nil {
		p.o.Log("connect: %v", err)
		return 0, p.ended(nil, fmt.Sprint(err))
	}
	defer func() { _ = socket.CloseNow() }()
	socket.SetReadLimit(64 << 20)
	c := &connection{proxy: p, socket: socket, leave: cancel, frames: make(chan incoming), more: make(chan struct{}, 1)}
	if err := c.write(ctx, p.register()); err != nil {
		return 0, p.ended(nil, fmt.Sprint(err))
	}
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	beside.Go(func() { c.receive(ctx) })
	accepted, err := c.awaitAck(ctx)
	if err != nil || !accepted {
		return 0, errors.Join(err, p.ended(nil, ""))
	}
	c.begin(again)
	beside.Go(func() { c.writeAll(ctx) })
	if p.o.Generation > 1 {
		beside.Go(func() { c.beat(ctx) })
	}
	delay, why, err := c.readAll()
	return delay, errors.Join(err, p.ended(c, why))
}

// ended notes the end of a connection. The error is that of a session that has ended.
func (p *Proxy) ended(c *connection, why string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c != nil && p.current == c {
		p.current = nil
	}
	p.saved = clone(p.state)
	p.seen.Connected = false
	if why != "" {
		p.seen.Closes = append(p.seen.Closes, why)
	}
	p.change()
	return p.crash
}

// awaitAck reads until the RegisterAck, and throws everything else away.
func (c *connection) awaitAck(ctx context.Context) (accepted bool, err error) {
	p := c.proxy
	late := time.NewTimer(10 * p.second)
	defer late.Stop()
	for {
		var in incoming
		select {
		case in = <-c.frames:
		case <-late.C:
			p.o.Log("no RegisterAck")
			return p.o.Generation < 3, nil
		case <-ctx.Done():
			return false, nil
		}
		if in.err != nil {
			p.note(fmt.Sprintf("before the RegisterAck: %v", in.err))
			return false, nil
		}
		f, ok, err := read(p.o.Generation, in.text, in.raw)
		switch {
		case err != nil:
			p.broken(err)
			return false, nil
		case !ok || f.Type != "RegisterAck":
			p.o.Log("thrown away before the RegisterAck: %.200s", in.raw)
			continue
		case f.Success:
			return true, nil
		}
		why := ""
		if f.Error != nil {
			why = *f.Error
		}
		p.mu.Lock()
		p.seen.Refused = append(p.seen.Refused, why)
		p.change()
		p.mu.Unlock()
		if p.o.Generation == 3 && !f.Retryable {
			return false, fmt.Errorf("%w: %s", ErrRefused, why)
		}
		return false, nil
	}
}

func (p *Proxy) note(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.Closes = append(p.seen.Closes, why)
	p.change()
}

func (p *Proxy) broken(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.Broken = append(p.seen.Broken, err.Error())
	p.change()
}

// begin sends what comes first on a connection: facts, lines that are not acknowledged, a note.
func (c *connection) begin(again bool) {
	p := c.proxy
	note := "**Session started** — " + p.o.Name
	if again {
		note = "**Proxy reconnected** after 3s (unexpected disconnect) — " + p.o.Name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current, c.answered = c, time.Now()
	p.seen.Registered++
	p.seen.Connected = true
	if g := p.o.Generation; g == 3 || g == 2 && (p.o.RepoURL != "" || p.o.PRURL != "") {
		c.queue(p.update())
	}
	for _, l := range p.state.Pending {
		c.queue(p.output(l))
	}
	if p.o.Generation > 1 {
		content, _ := json.Marshal(map[string]any{"type": "portal", "content": []any{map[string]any{"type": "text", "text": note}}})
		l := Line{p.state.Next, content}
		p.state.Next++
		p.state.Pending = append(p.state.Pending, l)
		c.queue(p.output(l))
	}
	p.change()
}

func (c *connection) writeAll(ctx context.Context) {
	for {
		c.mu.Lock()
		out := c.out
		c.out = nil
		c.mu.Unlock()
		for _, each := range out {
			if c.write(ctx, each) != nil {
				c.leave()
				return
			}
		}
		if len(out) > 0 {
			continue
		}
		select {
		case <-c.more:
		case <-ctx.Done():
			return
		}
	}
}

func (c *connection) write(ctx context.Context, frame any) error {
	raw, ok := frame.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(frame); err != nil {
			return err
		}
	}
	return c.socket.Write(ctx, websocket.MessageText, raw)
}

// beat sends a heartbeat each second and connects again when they are not answered.
func (c *connection) beat(ctx context.Context) {
	ticker := time.NewTicker(c.proxy.second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		c.proxy.mu.Lock()
		silent := time.Since(c.answered) > 15*c.proxy.second
		c.proxy.mu.Unlock()
		if silent {
			c.proxy.note("heartbeats were not answered")
			c.leave()
			return
		}
		c.queue(map[string]any{"type": "Heartbeat"})
	}
}

// readAll reads until the connection ends.
func (c *connection) readAll() (delay time.Duration, why string, err error) {
	p := c.proxy
	for in := range c.frames {
		if in.err != nil {
			return 0, fmt.Sprint(in.err), nil //nolint:nilerr // the proxy connects again
		}
		f, ok, err := read(p.o.Generation, in.text, in.raw)
		if err != nil {
			p.broken(err)
			return 0, "", nil
		}
		if !ok {
			continue
		}
		switch f.Type {
		case "SessionTerminated":
			return 0, "", ErrTerminated
		case "ServerShutdown":
			p.mu.Lock()
			p.seen.Shutdowns++
			p.change()
			p.mu.Unlock()
			return max(time.Duration(f.DelayMS)*p.second/1000, 1), "ServerShutdown", nil
		}
		c.handle(f)
	}
	return 0, "", nil
}

// handle acts on a frame that does not end the connection.
func (c *connection) handle(f frame) {
	p := c.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	switch f.Type {
	case "OutputAck":
		p.acknowledged(f)
	case "SequencedInput":
		c.input(f)
	case "ClaudeInput":
		p.give(Input{Seq: -1, Text: promptOf(f.Content)})
	case "PermissionResponse":
		p.answer(f)
	case "Heartbeat":
		c.answered = time.Now()
		if p.o.Generation == 1 {
			c.queue(map[string]any{"type": "Heartbeat"})
		}
	case "FileUploadStart":
		c.file = f
		c.file.Data = []byte{}
	case "FileUploadChunk":
		c.piece(f)
	case "Interrupt":
		if p.o.Generation == 3 {
			p.seen.Interrupts++
			p.work(Agent.Interrupt)
		}
	}
	p.change()
}

// piece appends a piece of a file, in the order of arrival, and keeps the file with the last one. G3 says so.
func (c *connection) piece(f frame) {
	p := c.proxy
	if f.UploadID != c.file.UploadID || c.file.TotalChunks == 0 {
		return
	}
	c.file.Data = append(c.file.Data, f.Data...)
	if c.file.TotalChunks--; c.file.TotalChunks > 0 {
		return
	}
	files := maps.Clone(p.seen.Files)
	if files == nil {
		files = map[string][]byte{}
	}
	files[c.file.Filename] = c.file.Data
	p.seen.Files = files
	if p.o.Generation == 3 {
		c.queue(map[string]any{"type": "FileUploadResult", "upload_id": f.UploadID, "success": true})
	}
}

func (p *Proxy) acknowledged(f frame) {
	if !strings.EqualFold(f.SessionID, p.o.Session) || f.AckSeq <= p.state.LastAck {
		return
	}
	p.state.LastAck, p.seen.Acked = f.AckSeq, f.AckSeq
	p.state.Pending = slices.DeleteFunc(p.state.Pending, func(l Line) bool { return l.Seq <= f.AckSeq })
	p.saved = clone(p.state)
}

// input takes a prompt. No generation looks whether it had it.
func (c *connection) input(f frame) {
	p := c.proxy
	in := Input{Seq: f.Seq, Text: promptOf(f.Content)}
	if f.ClientMsgID != nil && p.o.Generation == 3 {
		in.Message = *f.ClientMsgID
		c.queue(c.stage(in.Message, "proxy_received"))
	}
	p.give(in)
	if in.Message != "" {
		c.queue(c.stage(in.Message, "agent_accepted"))
	}
	c.queue(map[string]any{"type": "InputAck", "session_id": p.o.Session, "ack_seq": f.Seq})
}

func (c *connection) stage(message, stage string) map[string]any {
	return map[string]any{"type": "InputProgressAck", "session_id": c.proxy.o.Session, "client_msg_id": message, "stage": stage}
}

// give gives a prompt to the agent.
func (p *Proxy) give(in Input) {
	p.seen.Inputs = append(p.seen.Inputs, in)
	p.work(func(a Agent, p *Proxy) { a.Prompt(p, in.Text) })
}

// answer gives an answer to the agent, if it is for the newest request.
func (p *Proxy) answer(f frame) {
	a := Answer{Request: f.RequestID, Allow: f.Allow, Input: f.Input, Permissions: f.Permissions, Stale: f.RequestID != p.waiting}
	if len(a.Input) == 0 || string(a.Input) == "null" {
		a.Input = json.RawMessage("{}")
	}
	if f.Reason != nil {
		a.Reason = *f.Reason
	}
	p.seen.Answers = append(p.seen.Answers, a)
	if !a.Stale {
		p.waiting = ""
		p.work(func(agent Agent, p *Proxy) { agent.Answer(p, a) })
		return
	}
	p.o.Log("stale request %s", f.RequestID)
	if p.o.Generation == 1 {
		p.fail(fmt.Errorf("an answer to %q, and %q waits", f.RequestID, p.waiting))
	}
}
