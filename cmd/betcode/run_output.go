package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// runOutput is what a run prints.
type runOutput interface {
	event(e *pb.AgentEvent) error
	pause() // somebody else is about to write to the terminal
	finish(t *turn) error
}

func (p *program) runOutput(format string, verbose bool) (runOutput, error) {
	switch format {
	case "text":
		if p.Terminal.Out {
			return &liveOutput{renderer{w: p.Stdout, style: console.Style(p.Terminal.Colour), verbose: verbose}}, nil
		}
		out := &textOutput{stdout: p.Stdout}
		if verbose || p.Terminal.Err {
			out.activity = &renderer{w: p.Stderr, verbose: verbose}
		}
		return out, nil
	case "json":
		return jsonOutput{p.Stdout}, nil
	case "stream-json":
		return streamOutput{p.Stdout}, nil
	}
	return nil, exit.Usage(fmt.Errorf("--output-format %s: it is text, json or stream-json", format))
}

// liveOutput shows everything as it happens, on a terminal.
type liveOutput struct{ renderer }

func (o *liveOutput) event(e *pb.AgentEvent) error {
	if e.GetUserInput() == nil { // the prompt is on the command line
		o.renderer.event(e)
	}
	return nil
}

func (o *liveOutput) pause() { o.endLine() }

func (o *liveOutput) finish(*turn) error {
	o.endLine()
	return nil
}

// textOutput prints the final answer, for a program; what happens until then goes
// to standard error, if a person looks there.
type textOutput struct {
	stdout   io.Writer
	activity *renderer
}

func (o *textOutput) event(e *pb.AgentEvent) error {
	if o.activity != nil && e.GetUserInput() == nil && e.GetTextDelta() == nil {
		o.activity.event(e)
	}
	return nil
}

func (*textOutput) pause() {}

func (o *textOutput) finish(t *turn) error {
	text := strings.TrimRight(t.text.String(), "\n")
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(o.stdout, text)
	return err
}

// runResult is the object that --output-format json prints: betcode.run/v1.
type runResult struct {
	Schema     string         `json:"schema"`
	Session    string         `json:"session_id"`
	Result     string         `json:"result"`
	IsError    bool           `json:"is_error"`
	Error      string         `json:"error,omitempty"`
	ErrorCode  string         `json:"error_code,omitempty"`
	Stderr     string         `json:"stderr,omitempty"`
	StopReason string         `json:"stop_reason,omitempty"`
	Usage      map[string]any `json:"usage,omitempty"`
	Denied     []denial       `json:"denied,omitempty"`
	Last       uint64         `json:"last_sequence"`
}

type jsonOutput struct{ w io.Writer }

func (jsonOutput) event(*pb.AgentEvent) error { return nil }

func (jsonOutput) pause() {}

func (o jsonOutput) finish(t *turn) error {
	failed, why := t.failed()
	r := runResult{
		Schema: "betcode.run/v1", Session: t.session, Result: t.text.String(),
		IsError: failed, Error: why, StopReason: t.complete.GetStopReason(), Denied: t.denied, Last: t.last,
	}
	if failed {
		r.ErrorCode, r.Stderr = t.failure.GetCode(), t.stderr()
	}
	if t.usage != nil {
		usage, err := console.MessageJSON(t.usage)
		if err != nil {
			return err
		}
		r.Usage = usage
	}
	return console.WriteValue(o.w, r, "  ")
}

// streamOutput prints every event on a line of its own.
type streamOutput struct{ w io.Writer }

func (o streamOutput) event(e *pb.AgentEvent) error {
	object, err := console.MessageJSON(e)
	if err != nil {
		return err
	}
	line, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = o.w.Write(append(line, '\n'))
	return err
}

func (streamOutput) pause() {}

func (streamOutput) finish(*turn) error { return nil }
