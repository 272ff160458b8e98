// Command agent is the least that the daemon takes for an agent: it accepts any
// flags, reads user lines and answers each with a turn of text deltas, at a pace
// or as fast as it can. It exists because a load generator must cost next to
// nothing; what an agent really does is tested with Claude Code and the fake one.
//
// # Prompts
//
//	flood:N:SIZE       N deltas of SIZE bytes, in big writes
//	pace:N:RATE:SIZE   N deltas of SIZE bytes, RATE a second, a write each
//	lines:N:RATE:SIZE  N lines, each a message of SIZE bytes, RATE a second
//	garbage:MB:SECONDS so many megabytes a second of lines that are no JSON
//
// The text of each delta and message begins with the time of its write: Unix time in
// nanoseconds and a space.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	a := agent{session: session(os.Args[1:]), out: os.Stdout}
	in := bufio.NewReader(os.Stdin)
	for {
		raw, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var l input
		if json.Unmarshal(raw, &l) != nil {
			continue
		}
		switch {
		case l.Type == "user":
			a.turn(l.UUID, l.Message.Content)
		case l.Request.Subtype == "end_session":
			return
		case l.Type == "control_request":
			a.line(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{}}}`, l.RequestID)
		}
	}
}

// input is a line of the host, as far as it is read.
type input struct {
	Type      string `json:"type"`
	UUID      string `json:"uuid"`
	RequestID string `json:"request_id"`
	Message   struct {
		Content string `json:"content"`
	} `json:"message"`
	Request struct {
		Subtype string `json:"subtype"`
	} `json:"request"`
}

// session is the id that the flags give the conversation.
func session(args []string) string {
	for _, flag := range []string{"--session-id", "--resume"} {
		if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

type agent struct {
	session string
	out     io.Writer
}

// line writes one line, in one write. Errors are ignored: without a reader there
// is no one to report to.
func (a agent) line(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// turn answers one message.
func (a agent) turn(uuid, prompt string) {
	const message = "msg_0123456789abcdef"
	life := func(state string) {
		a.line(`{"type":"command_lifecycle","command_uuid":%q,"state":%q,"uuid":%q,"session_id":%q}`, uuid, state, uuid, a.session)
	}
	event := func(body string) {
		a.line(`{"type":"stream_event","event":%s,"session_id":%q,"parent_tool_use_id":null,"uuid":%q,"api_message_id":%q}`, body, a.session, uuid, message)
	}
	life("queued")
	life("started")
	a.line(`{"type":"system","subtype":"init","session_id":%q,"model":"bench","permissionMode":"default","user_message_uuids":[%q]}`, a.session, uuid)
	event(`{"type":"message_start","message":{"id":"` + message + `","role":"assistant","model":"bench","content":[]}}`)
	event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	a.deltas(delta{
		before: `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`,
		after: fmt.Sprintf(`"}},"session_id":%q,"parent_tool_use_id":null,"uuid":%q,"api_message_id":%q}`+"\n",
			a.session, uuid, message),
	}, prompt)
	event(`{"type":"content_block_stop","index":0}`)
	event(`{"type":"message_stop"}`)
	a.line(`{"type":"result","subtype":"success","is_error":false,"result":"done","stop_reason":"end_turn","terminal_reason":"completed",`+
		`"num_turns":1,"total_cost_usd":0,"usage":{"input_tokens":1,"output_tokens":1},"session_id":%q,"uuid":%q,"user_message_uuids":[%q]}`,
		a.session, uuid, uuid)
	life("completed")
}

// deltas does what the prompt says; of one that it does not know it says nothing.
func (a agent) deltas(d delta, prompt string) {
	verb, rest, _ := strings.Cut(prompt, ":")
	var n [3]int
	for i, f := range strings.SplitN(rest, ":", len(n)) {
		n[i], _ = strconv.Atoi(f)
	}
	switch verb {
	case "flood":
		a.flood(d, n[0], n[1])
	case "pace":
		a.pace(n[0], n[1], func(b []byte) []byte { return d.append(b, time.Now(), n[2]) })
	case "lines":
		text := strings.Repeat("x", n[2])
		a.pace(n[0], n[1], func(b []byte) []byte {
			return fmt.Appendf(b, `{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"%d %s"}]},"session_id":%q}`+"\n",
				time.Now().UnixNano(), text, a.session)
		})
	case "garbage":
		const rate = 20 // writes a second
		megabyte := bytes.Repeat([]byte(strings.Repeat("\x00garbage\xff ", 100)+"\n"), (1<<20)/1001)
		a.pace(n[1]*rate, rate, func(b []byte) []byte {
			for range (n[0] + rate - 1) / rate {
				b = append(b, megabyte...)
			}
			return b
		})
	}
}

// delta is a line but for its text.
type delta struct{ before, after string }

// append adds a line whose text has size bytes and begins with the time.
func (d delta) append(b []byte, now time.Time, size int) []byte {
	b = append(b, d.before...)
	text := len(b)
	b = append(strconv.AppendInt(b, now.UnixNano(), 10), ' ')
	for len(b)-text < size {
		b = append(b, "the quick brown fox jumps over the lazy dog "[:min(44, size-(len(b)-text))]...)
	}
	return append(b, d.after...)
}

// flood writes a quarter of a megabyte at once, all of one time.
func (a agent) flood(d delta, n, size int) {
	for n > 0 {
		now, block := time.Now(), []byte(nil)
		for ; n > 0 && len(block) < 256<<10; n-- {
			block = d.append(block, now, size)
		}
		_, _ = a.out.Write(block) // as in line
	}
}

// pace writes n times what more says, on a schedule: what a slow machine is late
// with is not left out. It begins somewhere in the first interval, since agents do
// not march in step.
func (a agent) pace(n, rate int, more func(b []byte) []byte) {
	interval := time.Second / time.Duration(max(rate, 1))
	began := time.Now().Add(rand.N(interval))
	var b []byte
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * interval)))
		b = more(b[:0])
		_, _ = a.out.Write(b) // as in line
	}
}
