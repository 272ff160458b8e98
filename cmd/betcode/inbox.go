package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"betcode/cmd/betcode/internal/console"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// inbox is what waits for a person: permissions and questions, oldest first. It is
// plain data; what is typed goes in, requests to the daemon come out.
type inbox struct {
	waiting []*waiting
	decided map[string]bool // by request id: answered here, or resolved
}

// waiting is one of them.
type waiting struct {
	permission *pb.PermissionRequest // or
	question   *pb.UserQuestion
}

// id names it: the id of the request, or of the question.
func (w *waiting) id() string {
	if w.permission != nil {
		return w.permission.GetRequestId()
	}
	return w.question.GetQuestionId()
}

// request is the request it belongs to: several questions share one.
func requestOf(id string) string {
	request, _, _ := strings.Cut(id, "/")
	return request
}

// add takes note of an event. It reports whether something new waits.
func (b *inbox) add(e *pb.AgentEvent) bool {
	var w *waiting
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_PermissionRequest:
		w = &waiting{permission: event.PermissionRequest}
	case *pb.AgentEvent_UserQuestion:
		w = &waiting{question: event.UserQuestion}
	case *pb.AgentEvent_PermissionResolved:
		b.drop(event.PermissionResolved.GetRequestId())
		return false
	default:
		return false
	}
	if b.decided[w.id()] || b.decided[requestOf(w.id())] {
		return false
	}
	if i := slices.IndexFunc(b.waiting, func(other *waiting) bool { return other.id() == w.id() }); i >= 0 {
		b.waiting[i] = w // sent again: an update, for example of its deadline
		return false
	}
	b.waiting = append(b.waiting, w)
	return true
}

// drop forgets a request, with all its questions.
func (b *inbox) drop(request string) {
	b.note(request)
	b.waiting = slices.DeleteFunc(b.waiting, func(w *waiting) bool { return requestOf(w.id()) == request })
}

func (b *inbox) note(id string) {
	if b.decided == nil {
		b.decided = map[string]bool{}
	}
	b.decided[id] = true
}

// head is what is to be answered next, nil if nothing waits.
func (b *inbox) head() *waiting {
	if len(b.waiting) == 0 {
		return nil
	}
	return b.waiting[0]
}

// take removes the head: it has been answered.
func (b *inbox) take() {
	b.note(b.waiting[0].id())
	b.waiting = b.waiting[1:]
}

// answer reads what a person typed about the head. It returns the request to send,
// or what is wrong with it.
func (b *inbox) answer(line string) (*pb.AgentRequest, string) {
	w := b.head()
	var request *pb.AgentRequest
	var complaint string
	if w.permission != nil {
		request, complaint = answerPermission(w.permission, line)
	} else {
		request, complaint = answerQuestion(w.question, line)
	}
	switch {
	case request == nil:
	case request.GetPermission() != nil && w.question != nil: // declined: all of its questions are
		b.drop(requestOf(w.id()))
	default:
		b.take()
	}
	return request, complaint
}

const permissionKeys = "y = yes, a = yes for the whole session, n = no, d TEXT = no, and tell the agent"

func answerPermission(p *pb.PermissionRequest, line string) (*pb.AgentRequest, string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(word) {
	case "y", "yes", "/allow":
		return decide(p.GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), ""
	case "a", "always", "/always":
		return decide(p.GetRequestId(), pb.PermissionDecision_ALLOW_SESSION, ""), ""
	case "n", "no", "/deny":
		return decide(p.GetRequestId(), pb.PermissionDecision_DENY, rest), ""
	case "d", "deny":
		if rest == "" {
			return nil, "Say what the agent is to be told: d TEXT."
		}
		return decide(p.GetRequestId(), pb.PermissionDecision_DENY, rest), ""
	}
	return nil, "Answer with " + permissionKeys + "."
}

// decide is an answer to a permission request.
func decide(request string, decision pb.PermissionDecision, message string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: request, Decision: decision, Message: message,
	}}}
}

// answerQuestion takes numbers of options, or any other text as it is. A lone "-"
// declines.
func answerQuestion(q *pb.UserQuestion, line string) (*pb.AgentRequest, string) {
	line = strings.TrimSpace(line)
	switch line {
	case "":
		return nil, "Answer with the number of an option, or in your own words; - declines."
	case "-":
		return decide(requestOf(q.GetQuestionId()), pb.PermissionDecision_DENY, "The user declined to answer."), ""
	}
	answer, complaint := chosen(q, line)
	if complaint != "" {
		return nil, complaint
	}
	return &pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
		QuestionId: q.GetQuestionId(), Answers: map[string]string{q.GetQuestion(): answer},
	}}}, ""
}

// chosen turns "2" or "1,3" into the options meant. Text that is not made of
// numbers is an answer in the person's own words.
func chosen(q *pb.UserQuestion, line string) (answer, complaint string) {
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

// text is how it is put to a person; keys: with what can be typed.
func (w *waiting) text(s console.Style, now time.Time, keys bool) string {
	var b strings.Builder
	if p := w.permission; p != nil {
		fmt.Fprintf(&b, "%s %s", s.Yellow("? allow"), s.Bold(console.Line(p.GetToolName())))
		if p.GetDescription() != "" || len(p.GetInput().GetFields()) > 0 {
			fmt.Fprintf(&b, ": %s", console.ToolCall(p.GetToolName(), p.GetInput(), p.GetDescription(), 500))
		}
		fmt.Fprintln(&b)
		for _, line := range inputLines(p) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		if p.GetExpiresAt() != nil {
			fmt.Fprintf(&b, "    %s\n", s.Dim("it waits for "+console.Span(max(p.GetExpiresAt().AsTime().Sub(now), 0))))
		}
		if keys {
			fmt.Fprintf(&b, "  %s\n", s.Dim(permissionKeys))
		}
		return b.String()
	}
	q := w.question
	fmt.Fprintf(&b, "%s %s\n", s.Yellow("?"), s.Bold(console.Text(q.GetQuestion())))
	for i, o := range q.GetOptions() {
		fmt.Fprintf(&b, "    %d  %s", i+1, console.Line(o.GetLabel()))
		if o.GetDescription() != "" {
			fmt.Fprintf(&b, "  %s", s.Dim(console.Line(o.GetDescription())))
		}
		fmt.Fprintln(&b)
	}
	switch {
	case keys && q.GetMultiSelect():
		fmt.Fprintf(&b, "  %s\n", s.Dim("numbers of options, as 1,3, or your own words; - declines"))
	case keys:
		fmt.Fprintf(&b, "  %s\n", s.Dim("the number of an option, or your own words; - declines"))
	}
	return b.String()
}

// inputLines shows what a tool is to be given: whole, since somebody decides about
// it, but no more than a screen.
func inputLines(p *pb.PermissionRequest) []string {
	if len(p.GetInput().GetFields()) == 0 {
		return nil
	}
	var lines []string
	for _, key := range fieldOrder(p.GetInput().GetFields()) {
		v := p.GetInput().GetFields()[key]
		text := v.GetStringValue()
		if text == "" {
			raw, err := protojson.Marshal(v)
			if err != nil {
				continue
			}
			text = string(raw)
		}
		lines = append(lines, strings.Split(console.Line(key)+": "+strings.TrimRight(visible.Text(text), "\n"), "\n")...)
	}
	const most = 40
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("… %d more lines", len(lines)-most))
	}
	return lines
}
