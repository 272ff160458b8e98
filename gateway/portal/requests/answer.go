package requests

import (
	"bytes"
	"encoding/json"
	"errors"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

var errNotWaiting = errors.New("This request no longer waits for an answer") //nolint:staticcheck // shown to people unchanged

// Decide returns the daemon's request for an answer of the reader.
func (q *Queue) Decide(m wire.PermissionResponse) (*pb.AgentRequest, error) {
	r := q.find(m.RequestID)
	if r == nil {
		return nil, errNotWaiting
	}
	q.shown = m.RequestID // the reader has it
	out := &pb.PermissionResponse{RequestId: m.RequestID, Decision: pb.PermissionDecision_ALLOW_ONCE}
	if !m.Allow {
		out.Decision, out.Message = pb.PermissionDecision_DENY, "User denied"
		if m.Reason != nil && *m.Reason != "" {
			out.Message = *m.Reason
		}
		return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: out}}, nil
	}
	edited, err := structOf(m.Input)
	if err != nil {
		return nil, err
	}
	if r.question {
		return &pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{
			QuestionResponse: &pb.UserQuestionResponse{QuestionId: m.RequestID, Answers: answersIn(edited)},
		}}, nil
	}
	if edited != nil && !proto.Equal(edited, r.input) {
		out.Decision, out.UpdatedInput = pb.PermissionDecision_ALLOW_WITH_EDIT, edited
	}
	out.ApplySuggestions = chosen(r.message.Suggestions, m.Permissions)
	return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: out}}, nil
}

// inputOf returns an input as JSON.
func inputOf(s *structpb.Struct) wire.Raw {
	raw, err := s.MarshalJSON()
	if err != nil || s == nil {
		return wire.Raw("{}")
	}
	return raw
}

// structOf reads an input; nil for none.
func structOf(raw wire.Raw) (*structpb.Struct, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	s := &structpb.Struct{}
	if err := s.UnmarshalJSON(raw); err != nil {
		return nil, errors.New("Invalid message: 'input' is not an object") //nolint:staticcheck // shown to people unchanged
	}
	return s, nil
}

// answersIn returns the answers of a page to questions, by their texts.
func answersIn(input *structpb.Struct) map[string]string {
	answers := map[string]string{}
	for question, answer := range input.GetFields()["answers"].GetStructValue().GetFields() {
		answers[question] = answer.GetStringValue()
	}
	return answers
}

// suggestionsOf reads the agent's suggestions. It returns none if pages cannot read one of them,
// because an answer names suggestions by position.
func suggestionsOf(raw []byte) []wire.Suggestion {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	all := make([]wire.Suggestion, 0, len(list))
	for _, each := range list {
		frame := []byte(`{"type":"PermissionRequest","request_id":"","tool_name":"","input":null,"permission_suggestions":[` + string(each) + `]}`)
		m, err := wire.Decode(wire.FromProxy, frame)
		p, ok := m.(wire.PermissionRequest)
		if err != nil || !ok || len(p.Suggestions) != 1 {
			return nil
		}
		all = append(all, p.Suggestions[0])
	}
	return all
}

// chosen returns the positions of the suggestions that a page returned.
func chosen(offered, given []wire.Suggestion) []uint32 {
	var all []uint32
	for i, o := range offered {
		for _, g := range given {
			if bytes.Equal(key(o), key(g)) {
				all = append(all, uint32(i)) //nolint:gosec // a few
				break
			}
		}
	}
	return all
}

// key returns the content of a suggestion, independent of the order of keys in its rules, which pages re-encode.
func key(s wire.Suggestion) []byte {
	rules := make([]wire.Raw, 0, len(s.Rules))
	for _, rule := range s.Rules {
		var value any
		if json.Unmarshal(rule, &value) == nil {
			if sorted, err := json.Marshal(value); err == nil {
				rule = sorted
			}
		}
		rules = append(rules, rule)
	}
	s.Rules = rules
	raw, _ := wire.Encode(wire.G3, wire.ToPage, wire.PermissionRequest{Input: wire.Raw("null"), Suggestions: []wire.Suggestion{s}})
	return raw
}
