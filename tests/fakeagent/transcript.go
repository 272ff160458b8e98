package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// transcript is the session's file on disk, written in batches a little behind stdout. Records that
// are not flushed when the process is killed are lost.
type transcript struct {
	session string
	cwd     string
	path    string
	lag     time.Duration

	mu      sync.Mutex
	pending []byte
	timer   *time.Timer
	parent  string // uuid of the last record of the conversation
}

// projectDir is the directory under home that the real one uses for cwd.
func projectDir(home, cwd string) string {
	mangled := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, cwd)
	return filepath.Join(home, ".claude", "projects", mangled)
}

// newTranscript describes a file that need not exist yet.
func newTranscript(home, cwd, session string, lag time.Duration) *transcript {
	return &transcript{
		session: session, cwd: cwd, lag: lag,
		path: filepath.Join(projectDir(home, cwd), session+".jsonl"),
	}
}

// note appends a record that is not part of the conversation's chain.
func (t *transcript) note(kind string, members obj) {
	r := obj{"type": kind, "sessionId": t.session, "timestamp": timestamp()}
	for k, v := range members {
		r[k] = v
	}
	t.append(r, "")
}

// say appends a record of the conversation and returns its uuid; it generates an empty one.
func (t *transcript) say(kind, uuid string, members obj) string {
	if uuid == "" {
		uuid = newUUID()
	}
	r := obj{
		"type": kind, "uuid": uuid, "sessionId": t.session, "timestamp": timestamp(), "cwd": t.cwd,
		"isSidechain": false, "userType": "external", "entrypoint": "sdk-cli", "version": version,
	}
	for k, v := range members {
		r[k] = v
	}
	t.append(r, uuid)
	return uuid
}

func (t *transcript) append(r obj, uuid string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if uuid != "" {
		r["parentUuid"] = any(nil)
		if t.parent != "" {
			r["parentUuid"] = t.parent
		}
		t.parent = uuid
	}
	t.pending = append(append(t.pending, encode(r)...), '\n')
	if t.timer == nil {
		t.timer = time.AfterFunc(t.lag, t.flush)
	}
}

// flush puts everything on disk, in one write.
func (t *transcript) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	if len(t.pending) == 0 {
		return
	}
	if err := appendFile(t.path, t.pending); err != nil {
		fmt.Fprintf(os.Stderr, "fake agent: write transcript: %v\n", err)
	}
	t.pending = nil
}

// appendFile adds b to the end of a file in one write, making what is missing.
func appendFile(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// ledgerLine is one line of the oracle's file, see the package comment.
type ledgerLine struct {
	UUID    string `json:"uuid"`
	Content string `json:"content"`
	How     string `json:"how"`
	PID     int    `json:"pid"`
}

// accept writes the ledger.
func accept(home, session, how string, m message) {
	line := encode(ledgerLine{UUID: m.uuid, Content: m.text, How: how, PID: os.Getpid()})
	path := filepath.Join(home, ".fake-agent", session+".accepted")
	if err := appendFile(path, append(line, '\n')); err != nil {
		fmt.Fprintf(os.Stderr, "fake agent: write ledger: %v\n", err)
	}
}

// history is the earlier conversation, as read from a transcript.
type history struct {
	found    bool
	answered map[string]bool // user messages by uuid: is there an assistant record after it?
	last     message         // the last prompt
	open     bool            // its turn was cut off
	cutOff   bool            // by a tool call without a result
	tasks    map[string]bool // background tasks that never ended
	mode     string          // plan survives
	parent   string
}

// record has the members of a transcript record that are used.
type record struct {
	Type, UUID, State string
	TaskID            string `json:"task_id"`
	IsMeta            bool
	PermissionMode    string
	Message           struct {
		Content    json.RawMessage
		StopReason string `json:"stop_reason"`
	}
}

// findTranscript looks for a session under any project, as the real one does.
func findTranscript(home, session string) (string, bool) {
	paths, err := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", session+".jsonl"))
	if err != nil || len(paths) == 0 {
		return "", false
	}
	return paths[0], true
}

// readHistory reads a transcript; a torn last line is dropped, and a file
// without a single message counts as none.
func readHistory(path string) history {
	h := history{answered: map[string]bool{}, tasks: map[string]bool{}}
	file, err := os.ReadFile(path)
	if err != nil {
		return h
	}
	for line := range bytes.Lines(file) {
		var r record
		if json.Unmarshal(line, &r) == nil {
			h.add(r)
		}
	}
	return h
}

// add takes one record into account.
func (h *history) add(r record) {
	if r.UUID != "" {
		h.parent = r.UUID
	}
	switch r.Type {
	case "user":
		content, results := contentOf(r.Message.Content)
		switch {
		case results > 0:
			h.cutOff = false
		case strings.HasPrefix(content, "[Request interrupted by user"):
			h.open, h.cutOff = false, false
		case r.IsMeta:
			h.open = true
		default:
			h.found, h.open, h.cutOff = true, true, false
			h.last = message{uuid: r.UUID, text: content}
			h.answered[r.UUID] = false
			h.mode = r.PermissionMode
		}
	case "assistant":
		for uuid := range h.answered {
			h.answered[uuid] = true
		}
		h.cutOff = r.Message.StopReason == "tool_use"
		h.open = r.Message.StopReason != "end_turn" && r.Message.StopReason != "stop_sequence"
	case "fake-task":
		h.tasks[r.TaskID] = r.State == "started"
	}
}
