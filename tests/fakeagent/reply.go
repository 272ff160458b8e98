package main

import (
	"fmt"
	"iter"
	"strings"
	"time"
)

// reply is one answer of the model on its way: message_start to message_stop.
type reply struct {
	t          *turn
	id         string
	index      int
	stopReason string
}

// reply asks the model, so to speak. stopReason is how it will end.
func (t *turn) reply(stopReason string) *reply {
	r := &reply{t: t, id: newID("msg_"), stopReason: stopReason}
	t.calls++
	t.requesting()
	members := obj{"ttft_ms": 1}
	if uuids := t.uuids(); len(uuids) > 0 && !t.announced {
		members["user_message_uuid"], members["user_message_uuids"] = uuids[len(uuids)-1], uuids
	}
	r.event(obj{"type": "message_start", "message": obj{
		"id": r.id, "type": "message", "role": "assistant",
		"model": t.a.model.get(), "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": obj{"input_tokens": 11, "output_tokens": 1},
	}}, members)
	return r
}

// event prints a stream_event line, if those were asked for.
func (r *reply) event(e, members obj) {
	if !r.t.a.partial {
		return
	}
	line := obj{"event": e, "parent_tool_use_id": nil, "api_message_id": r.id}
	for k, v := range members {
		line[k] = v
	}
	r.t.a.emit("stream_event", line)
}

func (r *reply) open(block obj) {
	r.event(obj{"type": "content_block_start", "index": r.index, "content_block": block}, nil)
}

func (r *reply) delta(d obj) {
	r.event(obj{"type": "content_block_delta", "index": r.index, "delta": d}, nil)
}

// close prints a block's assistant line, and then that the block has ended.
func (r *reply) close(block obj) {
	r.assistant(block, nil)
	r.event(obj{"type": "content_block_stop", "index": r.index}, nil)
	r.index++
}

// assistant prints and records one block, and returns the uuid of the line.
func (r *reply) assistant(block, members obj) string {
	t := r.t
	message := obj{
		"id": r.id, "type": "message", "role": "assistant", "model": t.a.model.get(), "content": []any{block},
		"stop_reason": nil, "stop_sequence": nil, "usage": obj{"input_tokens": 11, "output_tokens": 1},
	}
	line := obj{"message": message, "parent_tool_use_id": nil, "request_id": "req_" + r.id, "timestamp": timestamp()}
	for k, v := range members {
		line[k] = v
	}
	if uuids := t.uuids(); len(uuids) > 0 && !t.announced {
		line["user_message_uuid"], line["user_message_uuids"] = uuids[len(uuids)-1], uuids
	}
	if t.reason != "" && !t.announced {
		line["resume_reason"] = t.reason
	}
	t.announced = true
	id := newUUID()
	line["uuid"] = id
	t.a.emit("assistant", line)
	onDisk := obj{}
	for k, v := range message {
		onDisk[k] = v
	}
	onDisk["stop_reason"] = r.stopReason
	t.a.disk.say("assistant", id, obj{"message": onDisk})
	return id
}

// text streams a text block. When the turn is stopped it prints the text of the real one.
func (r *reply) text(chunks iter.Seq[string], pause time.Duration) error {
	r.open(obj{"type": "text", "text": ""})
	var all strings.Builder
	for chunk := range chunks {
		if err := r.t.wait(pause); err != nil {
			r.abort(all.String())
			return err
		}
		all.WriteString(chunk)
		r.delta(obj{"type": "text_delta", "text": chunk})
	}
	r.close(obj{"type": "text", "text": all.String()})
	r.t.said = all.String()
	return nil
}

// abort ends a reply that was interrupted while it streamed.
func (r *reply) abort(soFar string) {
	r.stopReason = "end_turn" // the transcript shows a closed turn
	if soFar != "" {
		r.assistant(obj{"type": "text", "text": soFar}, obj{"aborted": true})
	}
	r.t.interruption("[Request interrupted by user]")
	r.event(obj{"type": "content_block_stop", "index": r.index}, nil)
	r.event(obj{"type": "message_delta", "delta": obj{"stop_reason": nil, "stop_sequence": nil}}, nil)
	r.event(obj{"type": "message_stop"},
		obj{"abandoned_blocks": obj{"api_message_id": r.id, "from_block_index": r.index + 1}})
}

// ended prints message_delta; the rest is message_stop.
func (r *reply) ended() {
	r.t.stopReason = r.stopReason
	r.event(obj{
		"type": "message_delta", "delta": obj{"stop_reason": r.stopReason, "stop_sequence": nil},
		"usage": obj{"output_tokens": 7},
	}, nil)
}

func (r *reply) stop() { r.event(obj{"type": "message_stop"}, nil) }

// say sends a complete reply of one text.
func (t *turn) say(chunks iter.Seq[string], pause time.Duration) error {
	r := t.reply("end_turn")
	if err := r.text(chunks, pause); err != nil {
		return err
	}
	r.ended()
	r.stop()
	return nil
}

// sayf is say for a short text, word by word.
func (t *turn) sayf(format string, args ...any) error {
	return t.say(strings.SplitAfterSeq(fmt.Sprintf(format, args...), " "), 0)
}

// interruption prints and records the mark the real one leaves.
func (t *turn) interruption(mark string) {
	m := obj{"role": "user", "content": []any{obj{"type": "text", "text": mark}}}
	t.a.emit("user", obj{"message": m, "parent_tool_use_id": nil, "timestamp": timestamp()})
	t.a.disk.say("user", "", obj{"message": m})
}
