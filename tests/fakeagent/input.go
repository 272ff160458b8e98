package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"
)

// read is the goroutine that obeys stdin, line by line and in order. The last
// line counts without its newline too.
func (a *agent) read(stdin io.Reader) {
	lines := bufio.NewReaderSize(stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if a.hung.Load() {
			close(a.stuck)
			select {} // as if the event loop were stuck; signals end the process
		}
		if fatal := a.take(bytes.TrimSpace(line)); fatal != nil {
			a.die(fatal)
			return
		}
		if err != nil {
			a.endOfInput()
			return
		}
	}
}

// typePattern finds the type of a line that is not JSON, for the complaint.
var typePattern = regexp.MustCompile(`"type"\s*:\s*"([^"]*)"`)

// take obeys one line. An error is the end of the process.
func (a *agent) take(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	if !json.Valid(line) {
		return parseError(line, "SyntaxError")
	}
	if bytes.Equal(line, []byte("null")) {
		return parseError(line, "TypeError")
	}
	var head struct{ Type string }
	_ = json.Unmarshal(line, &head) // a number or a list has no type, and is ignored
	switch head.Type {
	case "user":
		return a.takeUser(line)
	case "control_request":
		return a.takeRequest(line)
	case "control_response":
		a.takeAnswer(line)
	}
	return nil // keep_alive, assistant, control_cancel_request, system, anything else
}

func parseError(line []byte, kind string) error {
	name := "unknown"
	if m := typePattern.FindSubmatch(line); m != nil {
		name = string(m[1])
	}
	return complain("Error parsing streaming input line (type=%s, %d chars): %s", name, utf8.RuneCount(line), kind)
}

// die is what bad input does: no result, no farewell, code 1.
func (a *agent) die(fatal error) {
	fmt.Fprintln(a.stderr, fatal)
	a.stubborn.Store(false)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.exit(1)
}

// takeUser queues a message, or starts its turn when nothing runs, or does
// nothing because its uuid was used before.
func (a *agent) takeUser(line []byte) error {
	var u userLine
	_ = json.Unmarshal(line, &u) // members of odd types are left empty
	switch {
	case u.Message == nil || u.Message.Role == nil:
		return complain("Error: Expected message role 'user', got 'undefined'")
	case u.Message.Role != "user":
		return complain("Error: Expected message role 'user', got '%v'", u.Message.Role)
	case !isContent(u.Message.Content):
		return nil
	}
	content, _ := contentOf(u.Message.Content)
	m := message{uuid: u.UUID, text: content, human: u.Origin.Kind == "human", priority: u.Priority, raw: u.Message.Content}

	a.mu.Lock()
	defer a.mu.Unlock()
	if a.exited || a.repeated(m) {
		return nil
	}
	if a.turn == nil {
		a.state("running")
	}
	a.lifecycle(m.uuid, "queued")
	a.disk.note("queue-operation", obj{"operation": "enqueue", "content": m.text})
	switch {
	case a.turn == nil:
		a.start([]message{m})
	case m.priority == "now":
		a.queue = append([]message{m}, a.queue...)
		a.turn.stop(errNow)
	default:
		a.queue = append(a.queue, m)
	}
	return nil
}

// repeated handles a known uuid. Known to this process, it is ignored silently. Known from the
// transcript, it completes at once if it was answered there, or at the end of the turn if a resumed
// turn is answering it; otherwise it counts as unknown and runs again.
func (a *agent) repeated(m message) bool {
	if m.uuid == "" {
		return false
	}
	if a.seen[m.uuid] {
		if a.replay {
			a.echo(m)
		}
		return true
	}
	a.seen[m.uuid] = true
	if a.past.answered[m.uuid] {
		a.lifecycle(m.uuid, "completed")
		return true
	}
	if a.turn != nil && a.turn.resumed == m.uuid {
		a.turn.alsoCompletes = append(a.turn.alsoCompletes, m.uuid)
		return true
	}
	return false
}

// endOfInput means: finish everything, then exit. A permission that is asked
// for fails, a question aborts its turn.
func (a *agent) endOfInput() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.eof = true
	for _, q := range a.asks {
		if !q.question {
			q.answer <- answer{closed: true}
			delete(a.asks, q.id)
		} else if a.turn != nil {
			a.ending = true
			a.withdraw()
			a.turn.stop(errInterrupted)
		}
	}
	a.exitWhenDone()
}

// exitWhenDone exits after EOF when nothing is left to finish.
func (a *agent) exitWhenDone() {
	if a.eof && a.turn == nil && len(a.tasks) == 0 {
		a.exit(a.exitCode())
	}
}
