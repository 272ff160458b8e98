package foreignproxy

import (
	"context"
	"encoding/json"
	"time"

	"github.com/coder/websocket"
)

// queue queues frames for the writer. Without a connection it is lost.
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
