package foreignproxy

import (
	"encoding/json"
	"slices"
)

// mostPending bounds the lines that are kept until they are acknowledged.
const mostPending = 1000

// Say forwards a line of the agent: JSON as bytes, or a value. It gets the next number.
func (p *Proxy) Say(line any) {
	raw, ok := line.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(line); err != nil {
			panic(err) // a mistake of the test
		}
	}
	content, err := modelled(p.o.Generation, raw)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.fail(err)
		return
	}
	l := Line{p.state.Next, content}
	p.state.Next++
	p.seen.Said++
	p.state.Pending = append(p.state.Pending, l)
	if len(p.state.Pending) > mostPending {
		p.state.Pending = slices.Clone(p.state.Pending[1:])
		p.seen.Dropped++
	}
	p.current.queue(p.output(l))
	p.change()
}

// SayUnnumbered forwards a line without a number: it is never sent again.
func (p *Proxy) SayUnnumbered(line json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.queue(map[string]any{"type": "ClaudeOutput", "content": line})
}

// Ask forwards a permission request. It is sent once, or never if there is no connection.
func (p *Proxy) Ask(request, tool string, input, suggestions json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = request
	m := map[string]any{"type": "PermissionRequest", "request_id": request, "tool_name": tool, "input": input}
	if len(suggestions) > 0 {
		m["permission_suggestions"] = suggestions
	}
	p.current.queue(m)
	p.change()
}

// Send sends a frame as it is, on the present connection.
func (p *Proxy) Send(frame any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.queue(frame)
}

func (p *Proxy) output(l Line) map[string]any {
	m := map[string]any{"type": "SequencedOutput", "seq": l.Seq, "content": l.Content}
	if p.o.Generation == 3 {
		m["agent_type"] = p.agentType()
	}
	return m
}
