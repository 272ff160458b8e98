package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// messages is POST /v1/messages.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	var parsed apiRequest
	if err := json.Unmarshal(body, &parsed); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	c := conversationOf(parsed)
	c.Auxiliary = len(parsed.Tools) == 0 && !c.Summary
	c.Subagent = r.Header.Get("X-Claude-Code-Agent-Id") != ""
	request := Request{
		At: time.Now(), Session: r.Header.Get("X-Claude-Code-Session-Id"), Model: parsed.Model,
		Stream: parsed.Stream, Conversation: c, Body: body,
	}
	rule := s.admit(&request)
	reply, err := rule.expand(c)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "api_error", err.Error())
		return
	}
	if first := reply[0]; first.Error != 0 {
		refuseAs(w, first)
		return
	}
	out := &answer{server: s, ctx: r.Context(), model: parsed.Model, number: request.Number}
	if parsed.Stream {
		out.stream(w, reply)
	} else {
		out.whole(w, reply)
	}
}

// admit numbers and records a request and picks its rule.
func (s *Server) admit(r *Request) Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	rule := s.pick(*r)
	r.Number, r.Rule = len(s.requests)+1, rule.Name
	s.requests = append(s.requests, *r)
	if old := len(s.requests) - bodiesKept - 1; old >= 0 {
		s.requests[old].Body = nil
	}
	s.announce()
	return rule
}

func countTokens(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return
	}
	respond(w, http.StatusOK, map[string]any{"input_tokens": n/4 + 1})
}

// refuseAs answers with the error of a step.
func refuseAs(w http.ResponseWriter, s Step) {
	if s.RetryAfter != "" {
		w.Header().Set("Retry-After", s.RetryAfter)
	}
	kind, message := s.Type, s.Message
	if kind == "" {
		kind = map[int]string{
			400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
			413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
		}[s.Error]
	}
	if kind == "" {
		kind = "api_error"
	}
	if message == "" {
		message = fmt.Sprintf("scripted error %d", s.Error)
	}
	refuse(w, s.Error, kind, message)
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	respond(w, status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
