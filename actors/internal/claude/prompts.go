package claude

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	betcodev1 "betcode/proto/betcode/v1"
)

// maxSuggestions bounds the permission_suggestions that are shown, in bytes: half of a
// JSON array is useless.
const maxSuggestions = 64 << 10

// PromptEvents returns the events that ask people: one UserQuestion for each question,
// or one PermissionRequest. The timestamp is the time of the agent's request.
func PromptEvents(p PermissionAsked, expires time.Time) []*betcodev1.AgentEvent {
	if p.Question {
		if events := QuestionEvents(p); len(events) > 0 {
			return events
		}
	}
	return []*betcodev1.AgentEvent{PermissionEvent(p, expires)}
}

// PermissionEvent asks whether a tool may run. The zero time means that the
// request never expires. Arguments too large for an event are cut; the answer
// still lets the tool run with all of them.
func PermissionEvent(p PermissionAsked, expires time.Time) *betcodev1.AgentEvent {
	args := decodeInput(p.Input)
	fields, _ := toStruct(args, len(p.Input))
	r := &betcodev1.PermissionRequest{
		RequestId: short(p.Request), ToolName: short(p.Tool), Description: described(p, args), Input: fields,
		ToolUseId: short(p.ToolUse), AgentId: short(p.Agent), Reason: oneLine(p.Insists, maxID),
		DisplayName: p.Why.DisplayName, Title: p.Why.Title, DecisionReason: p.Why.Reason, DecisionReasonType: p.Why.ReasonType,
		BlockedPath: p.Why.BlockedPath, MatchedAskRule: p.Why.MatchedRule, NoSessionGrant: p.Why.NoSessionGrant, DefaultToNo: p.Why.DefaultToNo,
	}
	if len(p.Suggestions) <= maxSuggestions {
		r.Suggestions = p.Suggestions
	}
	if !expires.IsZero() {
		r.ExpiresAt = timestamppb.New(expires)
	}
	e := prompt(p)
	e.Event = &betcodev1.AgentEvent_PermissionRequest{PermissionRequest: r}
	return e
}

// QuestionEvents asks the questions of an AskUserQuestion, one event each, with
// the id "<request>/<n>", n from 0. It returns none if there is no question in
// the input: then PermissionEvent shows the input.
func QuestionEvents(p PermissionAsked) []*betcodev1.AgentEvent {
	var events []*betcodev1.AgentEvent
	for n, q := range questions(decodeInput(p.Input)) {
		u := &betcodev1.UserQuestion{
			QuestionId: short(p.Request) + "/" + strconv.Itoa(n), Question: q.text, MultiSelect: q.many,
		}
		for _, o := range q.options {
			u.Options = append(u.Options, &betcodev1.QuestionOption{Value: o.label, Label: o.label, Description: o.description})
		}
		e := prompt(p)
		e.Event = &betcodev1.AgentEvent_UserQuestion{UserQuestion: u}
		events = append(events, e)
	}
	return events
}

func prompt(p PermissionAsked) *betcodev1.AgentEvent {
	e := &betcodev1.AgentEvent{ParentToolUseId: short(p.Why.ParentToolUse)}
	if !p.At.IsZero() {
		e.Timestamp = timestamppb.New(p.At)
	}
	return e
}

// Bounds of one question. Its text is the key of its answer, see AnswerLine.
const (
	maxQuestions = 64
	maxOptions   = 64
	maxQuestion  = 64 << 10
	maxLabel     = 8 << 10
)

type question struct {
	text    string
	options []option
	many    bool
}

type option struct{ label, description string }

// questions finds the questions in the input of an AskUserQuestion: objects with
// options, or, as an older version has them, options that are plain strings. A
// question without a text cannot be answered; then there are none.
func questions(args any) []question {
	m, _ := args.(map[string]any)
	list, _ := m["questions"].([]any)
	if len(list) > maxQuestions {
		return nil
	}
	var all []question
	for _, e := range list {
		from, _ := e.(map[string]any)
		q := question{text: shownQuestion(textOf(from["question"]))}
		if q.text == "" {
			return nil
		}
		many, _ := from["multiSelect"].(bool)
		older, _ := from["multi_select"].(bool)
		q.many = many || older
		options, _ := from["options"].([]any)
		for _, o := range options[:min(len(options), maxOptions)] {
			fields, _ := o.(map[string]any)
			label := textOf(o)
			if label == "" {
				label = textOf(fields["label"])
			}
			if label != "" {
				q.options = append(q.options, option{cut(label, maxLabel), cut(textOf(fields["description"]), maxLabel)})
			}
		}
		all = append(all, q)
	}
	return all
}

// shownQuestion returns the text of a question as clients see it, and as they use it in answers.
func shownQuestion(text string) string { return cut(text, maxQuestion) }

func textOf(v any) string {
	s, _ := v.(string)
	return s
}
