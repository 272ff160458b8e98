package talk

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/render"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// Output prints the result of a run. [NewOutput] returns one.
type Output interface {
	event(t *turn, e *pb.AgentEvent) error
	pause() // another writer is about to write to the terminal
	finish(t *turn) error
}

// NewOutput returns the output in a format: text, json or stream-json.
func NewOutput(c *console.Console, format string, verbose bool) (Output, error) {
	switch format {
	case "text":
		if c.Terminal.Out {
			return &liveOutput{screen: render.NewRenderer(c.Stdout, console.Style(c.Terminal.Colour), verbose)}, nil
		}
		out := &textOutput{stdout: c.Stdout}
		if verbose || c.Terminal.Err {
			out.activity = &liveOutput{screen: render.NewRenderer(c.Stderr, false, verbose)}
		}
		return out, nil
	case "json":
		return jsonOutput{c.Stdout}, nil
	case "stream-json":
		return streamOutput{c.Stdout}, nil
	}
	return nil, exit.Usage(fmt.Errorf("--output-format %s: it is text, json or stream-json", format))
}

// waitingForSlot is the code of the notice that the session's agent waits for a place in the pool, which can take long.
const waitingForSlot = "WAITING_FOR_SLOT"

// showsNotices reports whether an output shows notices by itself.
func showsNotices(o Output) bool {
	switch o := o.(type) {
	case *textOutput:
		return o.activity != nil
	case jsonOutput:
		return false
	}
	return true
}

// showsText reports whether an output shows text by itself, while it comes.
func showsText(o Output) bool {
	_, live := o.(*liveOutput)
	return live
}

// ofTheLock reports whether an event is about the input lock. The renderer's text for such an event names commands of a chat. A run
// prints none of them: its error names the holder.
func ofTheLock(e *pb.AgentEvent) bool {
	return e.GetLock() != nil || e.GetError().GetCode() == noInputLock
}

// liveOutput shows events as they come, on a terminal. The message may wait for the turn of another one: what that turn consumed, and
// how it ended, is not shown.
type liveOutput struct {
	screen *render.Renderer
	usage  *pb.AgentEvent // of the turn that runs
}

func (o *liveOutput) event(t *turn, e *pb.AgentEvent) error {
	switch {
	case e.GetUserInput() != nil || ofTheLock(e): // the prompt is on the command line
	case e.GetUsage() != nil:
		o.usage = e
	case e.GetTurnComplete() != nil && !t.ends(e.GetTurnComplete()):
		o.screen.Line("The turn before this message has ended.")
		o.usage = nil
	case e.GetTurnComplete() != nil && o.usage != nil:
		o.screen.Event(o.usage)
		o.usage = nil
		o.screen.Event(e)
	default:
		o.screen.Event(e)
	}
	return nil
}

func (o *liveOutput) pause() { o.screen.EndLine() }

func (o *liveOutput) finish(*turn) error {
	o.screen.EndLine()
	return nil
}

// textOutput prints the final answer, for a program. Events before it go to standard error if that is a terminal.
type textOutput struct {
	stdout   io.Writer
	activity *liveOutput
}

func (o *textOutput) event(t *turn, e *pb.AgentEvent) error {
	if o.activity == nil || e.GetTextDelta() != nil || authentication(e.GetError()) {
		return nil
	}
	return o.activity.event(t, e)
}

func (*textOutput) pause() {}

func (o *textOutput) finish(t *turn) error {
	text := strings.TrimRight(t.text.String(), "\n")
	if text == "" || t.complete.GetIsError() && t.said(t.complete.GetError()) { // the command ends with that error
		return nil
	}
	_, err := fmt.Fprintln(o.stdout, text)
	return err
}

// RunResult is the object that --output-format json prints: betcode.run/v2.
type RunResult struct {
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
	Prompts    uint32         `json:"prompts,omitempty"` // with --repeat
	Last       uint64         `json:"last_sequence"`
}

type jsonOutput struct{ w io.Writer }

func (jsonOutput) event(*turn, *pb.AgentEvent) error { return nil }

func (jsonOutput) pause() {}

func (o jsonOutput) finish(t *turn) error {
	failed, why := t.failed()
	r := RunResult{
		Schema: "betcode.run/v2", Session: t.session, Result: t.text.String(),
		IsError: failed, Error: why, StopReason: t.complete.GetStopReason(), Denied: t.denied, Prompts: t.ended.GetIteration(), Last: t.last,
	}
	if failed {
		r.ErrorCode, r.Stderr = t.failure.GetCode(), t.stderr()
	}
	if t.usage != nil {
		usage, err := console.MessageObject(t.usage)
		if err != nil {
			return err
		}
		r.Usage = usage
	}
	return console.WriteValue(o.w, r, "  ")
}

// streamOutput prints each event as one line of JSON.
type streamOutput struct{ w io.Writer }

func (o streamOutput) event(_ *turn, e *pb.AgentEvent) error {
	object, err := console.MessageJSON(e)
	if err != nil {
		return err
	}
	line, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = io.WriteString(o.w, visible.JSON(string(line))+"\n")
	return err
}

func (streamOutput) pause() {}

func (streamOutput) finish(*turn) error { return nil }
