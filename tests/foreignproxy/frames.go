package foreignproxy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

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

// piece appends a piece of a file, in the order of arrival, and stores the file with the last one.
// G3 reports that.
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

// input runs a prompt. No generation checks for duplicates.
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

// answer passes an answer to the agent if it is for the newest request.
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
