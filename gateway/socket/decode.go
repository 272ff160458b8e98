package socket

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ref is a session id as its client wrote it: a JSON string or number.
type ref string

// text returns the id without quotes.
func (r ref) text() string {
	var s string
	if json.Unmarshal([]byte(r), &s) == nil {
		return s
	}
	return string(r)
}

// MarshalJSON implements [json.Marshaler].
func (r ref) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// noRef is the id in errors about lines without one.
const noRef = ref(`""`)

// The requests of clients: seven of the document, and our attachSession.
type (
	startSession struct {
		cwd, prompt, systemPrompt, model, mode string
		tools, sources                         []string
	}
	sendPrompt    struct{ prompt string }
	resumeSession struct{ conversation, prompt, cwd string }
	// permissionResponse allows or denies; every behavior but "allow" denies.
	permissionResponse struct {
		request string
		allow   bool
		input   map[string]any // nil = the original
		message string
	}
	questionResponse struct {
		request string
		answers map[string]string
	}
	interrupt    struct{}
	closeSession struct{}
	// attachSession is ours: it requests the events of a session after a number, then new events.
	attachSession struct {
		conversation string  // session; empty = the one with the client's id
		from         *uint64 // nil = no history, only requests that wait for an answer
		cursors      bool    // report the sequence after each batch of lines
		watch        bool    // do not become the owner, even if the session has none
	}
)

// errNotMessage has the text from the document.
var errNotMessage = errors.New("Invalid message: must have 'type' and 'sessionId' fields") //nolint:staticcheck // the text is part of the protocol

// decode decodes a line. For an unknown type the request is nil. With an error it also returns the
// id of the line, or [noRef].
func decode(line []byte) (ref, any, error) {
	var f fields
	if err := json.Unmarshal(line, &f); err != nil {
		if json.Valid(line) {
			return noRef, nil, errNotMessage // an array or a scalar
		}
		return noRef, nil, errors.New("Invalid message: not JSON") //nolint:staticcheck // part of the protocol
	}
	id, ok := f.id("sessionId")
	kind, err := f.text("type")
	if !ok || err != nil || kind == "" {
		return noRef, nil, errNotMessage
	}
	read, known := requests[kind]
	if !known {
		return id, nil, nil
	}
	request, err := read(f)
	if err != nil {
		return id, nil, fmt.Errorf("Invalid message: %w", err) //nolint:staticcheck // like the others
	}
	return id, request, nil
}

// requests has a decoder for each type that clients send.
var requests = map[string]func(fields) (any, error){
	"start_session": func(f fields) (any, error) {
		var m startSession
		err := errors.Join(
			f.into("cwd", &m.cwd), f.into("prompt", &m.prompt), f.into("systemPrompt", &m.systemPrompt), f.into("model", &m.model),
			f.into("permissionMode", &m.mode), f.into("allowedTools", &m.tools), f.into("settingSources", &m.sources),
		)
		return m, err
	},
	"send_prompt": func(f fields) (any, error) {
		var m sendPrompt
		err := f.into("prompt", &m.prompt)
		return m, err
	},
	"resume_session": func(f fields) (any, error) {
		var m resumeSession
		err := errors.Join(f.into("claudeSessionId", &m.conversation), f.into("prompt", &m.prompt), f.into("cwd", &m.cwd))
		return m, err
	},
	"permission_response": func(f fields) (any, error) {
		var m permissionResponse
		var behavior any // any value but "allow" denies
		err := errors.Join(
			f.into("requestId", &m.request), f.into("behavior", &behavior), f.into("updatedInput", &m.input), f.into("message", &m.message),
		)
		m.allow = behavior == "allow"
		return m, err
	},
	"question_response": func(f fields) (any, error) {
		var m questionResponse
		err := errors.Join(f.into("requestId", &m.request), f.into("answers", &m.answers))
		return m, err
	},
	"interrupt":     func(fields) (any, error) { return interrupt{}, nil },
	"close_session": func(fields) (any, error) { return closeSession{}, nil },
	"attach_session": func(f fields) (any, error) {
		var m attachSession
		err := errors.Join(f.into("claudeSessionId", &m.conversation), f.into("fromSequence", &m.from), f.into("cursors", &m.cursors), f.into("watch", &m.watch))
		return m, err
	},
}

// fields are the members of an object, by their exact names: [json.Unmarshal] into a struct ignores case.
type fields map[string]json.RawMessage

// into decodes a member. A missing one and null leave v unchanged.
func (f fields) into(name string, v any) error {
	raw, ok := f[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("'%s' has the wrong type", name)
	}
	return nil
}

func (f fields) text(name string) (s string, err error) {
	err = f.into(name, &s)
	return s, err
}

// id reads a session id. It reports false for a missing or empty one, and for values that are
// neither text nor a number.
func (f fields) id(name string) (ref, bool) {
	raw := bytes.TrimSpace(f[name])
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "", false
	}
	switch v := value.(type) {
	case string:
		return refOf(v), v != ""
	case float64:
		return ref(raw), v != 0
	}
	return "", false
}

// refOf returns a text as a session id.
func refOf(text string) ref { return ref(bytes.TrimSuffix(encode(nil, text), []byte("\n"))) }
