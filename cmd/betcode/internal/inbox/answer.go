package inbox

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

// Answer reads a line as the answer to the head. It returns the request to send, or what is wrong with the line. Each question
// of a request is answered by itself.
func (q *Queue) Answer(line string) (request *pb.AgentRequest, complaint string) {
	r := q.Head()
	if r.Permission != nil {
		if request, complaint = r.permission(line); request != nil {
			q.Done(r.ID)
		}
		return request, complaint
	}
	question := r.Questions[0]
	answer, complaint := answerQuestion(question, line)
	switch {
	case answer == nil:
		return nil, complaint
	case answer.GetPermission() != nil: // declining one question declines the whole request
		q.Done(r.ID)
	default:
		q.note(question.GetQuestionId())
		if r.Questions = r.Questions[1:]; len(r.Questions) == 0 {
			q.waiting = q.waiting[1:]
		}
	}
	return answer, complaint
}

// keys says what can be typed to answer a permission request.
func (r *Request) keys() string {
	if r.Plan() {
		return "y = approve, a = approve and accept edits, n = keep planning, d TEXT = keep planning, and tell the agent, x = stop"
	}
	text := "y = yes"
	if !r.Permission.GetNoSessionGrant() {
		text += ", a = yes for the whole session"
	}
	if rules := ReadAlways(r.Permission.GetSuggestions()); len(rules.Indices) > 0 {
		text += ", r = always: " + rules.Words
	}
	if r.command() != "" {
		text += ", e COMMAND = this instead"
	}
	return text + ", n = no, d TEXT = no, and tell the agent, x = no, and stop"
}

func (r *Request) command() string {
	return r.Permission.GetInput().GetFields()["command"].GetStringValue()
}

// permission reads a line as the answer to a permission request.
func (r *Request) permission(line string) (request *pb.AgentRequest, complaint string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(word) {
	case "y", "yes", "/allow":
		return Decide(r.ID, pb.PermissionDecision_ALLOW_ONCE, ""), ""
	case "a", "always", "/always":
		switch {
		case r.Plan():
			return r.AcceptEdits(), ""
		case r.Permission.GetNoSessionGrant():
			return nil, "This can be allowed once only: y."
		}
		return Decide(r.ID, pb.PermissionDecision_ALLOW_SESSION, ""), ""
	case "r":
		if len(ReadAlways(r.Permission.GetSuggestions()).Indices) > 0 {
			return r.Always(), ""
		}
		return nil, "The agent suggests no rule for it."
	case "e":
		switch {
		case r.Plan() || r.command() == "":
			return nil, "Only a command can be changed here."
		case rest == "":
			return nil, "Add the command: e COMMAND."
		}
		return r.Edited("command", rest), ""
	case "n", "no", "/deny":
		return Decide(r.ID, pb.PermissionDecision_DENY, rest), ""
	case "x":
		return Decide(r.ID, pb.PermissionDecision_DENY_WITH_INTERRUPT, rest), ""
	case "d", "deny":
		if rest == "" {
			return nil, "Add a text for the agent: d TEXT."
		}
		return Decide(r.ID, pb.PermissionDecision_DENY, rest), ""
	}
	return nil, "Answer with " + r.keys() + "."
}

// Edited returns the answer that allows a request with another value in one field of the tool's input.
func (r *Request) Edited(field, value string) *pb.AgentRequest {
	input := proto.CloneOf(r.Permission.GetInput())
	input.Fields = maps.Clone(input.GetFields())
	input.Fields[field] = structpb.NewStringValue(value)
	return r.EditedInput(input)
}

// EditedInput returns the answer that allows a request with another input.
func (r *Request) EditedInput(input *structpb.Struct) *pb.AgentRequest {
	answer := Decide(r.ID, pb.PermissionDecision_ALLOW_WITH_EDIT, "")
	answer.GetPermission().UpdatedInput = input
	return answer
}

// answerQuestion reads numbers of options, or any other text as it is. A lone "-" declines.
func answerQuestion(q *pb.UserQuestion, line string) (*pb.AgentRequest, string) {
	line = strings.TrimSpace(line)
	switch line {
	case "":
		return nil, "Answer with the number of an option, or in your own words; - declines."
	case "-":
		return Decline(RequestOf(q.GetQuestionId())), ""
	}
	answer, complaint := ChooseOptions(q, line)
	if complaint != "" {
		return nil, complaint
	}
	return &pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
		QuestionId: q.GetQuestionId(), Answers: map[string]string{q.GetQuestion(): answer},
	}}}, ""
}

// ChooseOptions turns "2" or "1,3" into the values of these options. Text that is not made of numbers is an answer in the
// person's own words. complaint says what is wrong.
func ChooseOptions(q *pb.UserQuestion, line string) (answer, complaint string) {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
	var values []string
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || len(q.GetOptions()) == 0 {
			return line, ""
		}
		if n < 1 || n > len(q.GetOptions()) {
			return "", fmt.Sprintf("There is no option %d; choose 1 to %d.", n, len(q.GetOptions()))
		}
		option := q.GetOptions()[n-1]
		value := option.GetValue()
		if value == "" {
			value = option.GetLabel()
		}
		values = append(values, value)
	}
	if len(values) > 1 && !q.GetMultiSelect() {
		return "", "Choose one."
	}
	return strings.Join(values, ", "), ""
}
