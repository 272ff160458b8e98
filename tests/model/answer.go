package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// object is a JSON object.
type object = map[string]any

// answer is one reply on its way out, streamed or whole.
type answer struct {
	server *Server
	ctx    context.Context // the request's
	model  string
	number int // of the request; ids are made of it

	send       func(event object) error // one event of the stream
	blocks     []object                 // of the whole message
	stopReason string
	usage      object
}

// How a reply may end early.
var (
	errCut    = errors.New("cut by the script")       // the connection is closed
	errBroken = errors.New("ended by a stream error") // nothing follows the error event
)

// id returns ids that differ between servers, requests and blocks.
func (a *answer) id(prefix string) string {
	return fmt.Sprintf("%s_%x_%d_%d", prefix, a.server.started, a.number, len(a.blocks))
}

// message is the message without its content.
func (a *answer) message() object {
	a.usage = object{"input_tokens": 11, "output_tokens": 7}
	a.stopReason = "end_turn"
	return object{
		"id": a.id("msg"), "type": "message", "role": "assistant", "model": a.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 11, "output_tokens": 1},
	}
}

// stream writes the reply as server-sent events.
func (a *answer) stream(w http.ResponseWriter, reply []Step) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Request-Id", a.id("req"))
	out := http.NewResponseController(w)
	a.send = func(event object) error {
		b, err := json.Marshal(event)
		if err != nil {
			return fmt.Errorf("encode event: %w", err)
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], b); err != nil {
			return fmt.Errorf("send event: %w", err)
		}
		return out.Flush()
	}
	if err := a.play(reply); err != nil && !errors.Is(err, errBroken) {
		drop(out)
	}
}

// drop closes the connection in the middle of a reply, or does nothing when it
// is gone already.
func drop(out *http.ResponseController) {
	if connection, _, err := out.Hijack(); err == nil {
		_ = connection.Close()
	}
}

// play sends everything from message_start to message_stop.
func (a *answer) play(reply []Step) error {
	if err := a.send(object{"type": "message_start", "message": a.message()}); err != nil {
		return err
	}
	for _, s := range reply {
		if err := a.step(s); err != nil {
			return err
		}
	}
	end := object{"type": "message_delta", "usage": a.usage, "delta": object{"stop_reason": a.stopReason, "stop_sequence": nil}}
	if err := a.send(end); err != nil {
		return err
	}
	return a.send(object{"type": "message_stop"})
}

// whole writes the reply as one JSON document, without the delays.
func (a *answer) whole(w http.ResponseWriter, reply []Step) {
	a.send = func(object) error { return nil }
	message := a.message()
	for _, s := range reply {
		s.Delay = 0
		if err := a.step(s); err != nil {
			drop(http.NewResponseController(w))
			return
		}
	}
	message["content"], message["stop_reason"], message["usage"] = a.blocks, a.stopReason, a.usage
	respond(w, http.StatusOK, message)
}

// step does one step of a reply.
func (a *answer) step(s Step) error {
	switch {
	case s.Text != nil:
		return a.text(s, *s.Text)
	case s.Words > 0:
		return a.text(s, words(s.Words))
	case s.Thinking != nil:
		return a.thinking(s)
	case s.Tool != "":
		return a.tool(s)
	case s.Hold != "":
		return a.server.hold(a.ctx, s.Hold)
	case s.Wait > 0:
		return a.wait(s.Wait)
	case s.StreamError != "":
		event := object{"type": "error", "error": object{"type": s.StreamError, "message": "scripted stream error"}}
		return errors.Join(a.send(event), errBroken)
	case s.Cut:
		return errCut
	case s.StopReason != "":
		a.stopReason = s.StopReason
	case s.Usage != nil:
		var usage object
		if err := json.Unmarshal(s.Usage, &usage); err != nil {
			return fmt.Errorf("read usage: %w", err)
		}
		maps.Copy(a.usage, usage)
	}
	return nil
}

// wait lets time pass, unless the client goes away.
func (a *answer) wait(d Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-a.ctx.Done():
		return fmt.Errorf("wait: %w", a.ctx.Err())
	}
}
