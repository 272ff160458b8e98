package proxytest

import (
	"encoding/json"
	"slices"
)

// Peer is one connection of a proxy, as the backend sees it.
type Peer struct {
	db      *Database
	session *Session // nil before Register
	out     [][]byte
	wake    chan struct{}
}

// Connect begins a connection.
func (d *Database) Connect() *Peer { return &Peer{db: d, wake: make(chan struct{}, 1)} }

// Ready signals frames to take.
func (p *Peer) Ready() <-chan struct{} { return p.wake }

// Take returns the frames to send, in order.
func (p *Peer) Take() [][]byte {
	p.db.mu.Lock()
	defer p.db.mu.Unlock()
	out := p.out
	p.out = nil
	return out
}

// Close ends the connection.
func (p *Peer) Close() {
	p.db.mu.Lock()
	defer p.db.mu.Unlock()
	if p.session != nil && p.session.peer == p {
		p.session.peer = nil
	}
}

func (p *Peer) push(f Frame) {
	raw, err := json.Marshal(f)
	if err != nil {
		panic("proxytest: " + err.Error()) // impossible: frames contain only values that can be encoded
	}
	p.out = append(p.out, raw)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Receive handles a frame of the proxy.
func (p *Peer) Receive(raw []byte) {
	d := p.db
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.change()
	var f Frame
	if err := json.Unmarshal(raw, &f); err != nil {
		d.complain("not JSON: %.200s", raw)
		return
	}
	d.check(f, raw)
	kind, _ := f["type"].(string)
	if kind == "Register" {
		p.register(f)
		return
	}
	if p.session == nil {
		d.complain("%s before Register", kind)
		return
	}
	switch kind {
	case "SequencedOutput":
		p.output(raw)
	case "ClaudeOutput":
		p.session.Loose = append(p.session.Loose, content(raw))
	case "PermissionRequest":
		p.session.Request = f
		p.session.Requests = append(p.session.Requests, f)
	case "InputAck":
		p.inputAck(f)
	case "SessionUpdate":
		p.session.Branch, _ = f["git_branch"].(string)
	case "Heartbeat":
		p.session.Heartbeats++
		p.push(Frame{"type": "Heartbeat"})
	case "InputProgressAck":
		p.session.Progress = append(p.session.Progress, text(f, "client_msg_id")+" "+text(f, "stage"))
	case "FileUploadResult":
		p.session.Uploads[text(f, "upload_id")] = f["success"] == true
	}
}

// register answers a Register: like the reference, first with queued frames, then with RegisterAck.
func (p *Peer) register(f Frame) {
	d := p.db
	ack := Frame{"type": "RegisterAck", "success": true, "session_id": f["session_id"], "max_image_mb": 10}
	refuse := d.Refuse
	if d.Token != "" && f["auth_token"] != d.Token {
		refuse = "Authentication failed - please re-authenticate"
	}
	if refuse != "" {
		ack["success"], ack["error"] = false, refuse
		if d.Generation > 2 {
			ack["retryable"] = d.Retryable
		}
		p.push(ack)
		return
	}
	s := d.session(text(f, "session_id"))
	s.Name, s.Directory, s.Branch = text(f, "session_name"), text(f, "working_directory"), text(f, "git_branch")
	s.Registered++
	for _, queued := range s.offline {
		p.push(queued)
	}
	p.session, s.peer, s.offline = s, p, nil
	p.push(ack)
	for _, input := range s.Pending {
		p.push(input.Frame)
	}
}

// output stores a line, unless its number is not above the last acknowledged one.
func (p *Peer) output(raw []byte) {
	var m struct {
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		p.db.complain("seq: %v", err)
		return
	}
	s := p.session
	if m.Seq > p.db.last[s.ID] {
		s.Lines = append(s.Lines, Line{m.Seq, content(raw)})
		p.db.last[s.ID] = m.Seq
	}
	if !p.db.Silent {
		p.push(Frame{"type": "OutputAck", "session_id": s.ID, "ack_seq": m.Seq})
	}
}

func (p *Peer) inputAck(f Frame) {
	if text(f, "session_id") != p.session.ID {
		p.db.complain("InputAck of another session")
		return
	}
	seq, _ := f["ack_seq"].(float64)
	p.session.Acked = max(p.session.Acked, int64(seq))
	p.session.Pending = slices.DeleteFunc(p.session.Pending, func(i Input) bool { return i.Seq <= int64(seq) })
}

func content(raw []byte) json.RawMessage {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(raw, &m) // raw was decoded before
	return m.Content
}

func text(f Frame, key string) string {
	s, _ := f[key].(string)
	return s
}
