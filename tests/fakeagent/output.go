package main

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// obj is a JSON object on its way out. Its members come out sorted, so "type" is
// hardly ever the first: readers that look at the first bytes of a line fail.
type obj map[string]any

// output writes lines from a goroutine of its own, so that a reader who stalls
// stops neither the turn nor the reading of stdin. Errors are ignored: the real
// one lives on when its stdout is gone.
type output struct {
	w io.Writer

	mu      sync.Mutex
	changed *sync.Cond // buf grew, or a write ended
	buf     []byte
	writing bool
	closed  bool   // the process is ending: nothing more is taken
	ending  string // of every line
}

func newOutput(w io.Writer) *output {
	o := &output{w: w, ending: "\n"}
	o.changed = sync.NewCond(&o.mu)
	go o.write()
	return o
}

// write is the goroutine. It takes all there is and writes it at once.
func (o *output) write() {
	var mine []byte
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.buf) == 0 {
			o.changed.Wait()
		}
		mine, o.buf = o.buf, mine[:0]
		o.writing = true
		o.mu.Unlock()
		_, _ = o.w.Write(mine)
		o.mu.Lock()
		o.writing = false
		o.changed.Broadcast()
	}
}

// line writes one object as one line.
func (o *output) line(v obj) {
	b := encode(v)
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.buf = append(append(o.buf, b...), o.ending...)
		o.changed.Broadcast()
	}
}

// raw writes bytes as they are.
func (o *output) raw(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.buf = append(o.buf, b...)
		o.changed.Broadcast()
	}
}

// setEnding changes how lines end from now on.
func (o *output) setEnding(ending string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending = ending
}

// close drops all later lines.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// room waits until less than limit bytes are waiting to be written.
func (o *output) room(limit int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.buf) >= limit && !o.closed {
		o.changed.Wait()
	}
}

// drain waits until everything is written, or for the time given.
func (o *output) drain(patience time.Duration) {
	expired := false
	defer time.AfterFunc(patience, func() {
		o.mu.Lock()
		expired = true
		o.changed.Broadcast()
		o.mu.Unlock()
	}).Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for (len(o.buf) > 0 || o.writing) && !expired {
		o.changed.Wait()
	}
}

// encode is JSON without HTML escaping and without a newline. Its arguments come from this package
// or from a JSON decoder, so it cannot fail.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(`{"type":"fake_agent_bug","error":"` + err.Error() + `"}`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
