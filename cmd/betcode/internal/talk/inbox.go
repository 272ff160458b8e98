package talk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/render"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// inbox holds the permission requests and questions that wait for a person, oldest first. It is plain data: events and
// lines go in, requests to the daemon come out.
type inbox struct {
	waiting []*waiting
	decided map[string]bool // by request id: answered here, or resolved
}

// waiting is a permission request or a question.
type waiting struct {
	permission *pb.PermissionRequest // or
	question   *pb.UserQuestion
}

// id returns the id of the request or the question.
func (w *waiting) id() string {
	if w.permission != nil {
		return w.permission.GetRequestId()
	}
	return w.question.GetQuestionId()
}

// subagentOf returns the subagent whose request or question an event forwards; empty if the session's own agent asks.
func subagentOf(e *pb.AgentEvent) (id, name string) {
	if p := e.GetPermissionRequest(); p != nil {
		return p.GetSubagentId(), p.GetSubagentName()
	}
	return e.GetUserQuestion().GetSubagentId(), e.GetUserQuestion().GetSubagentName()
}

// requestOf returns the id of the request that a question belongs to: several questions share one.
func requestOf(id string) string {
	request, _, _ := strings.Cut(id, "/")
	return request
}

// add takes an event. It reports whether a new request or question waits.
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
		b.waiting[i] = w // sent again with a change, for example of its deadline
		return false
	}
	b.waiting = append(b.waiting, w)
	return true
}

// drop removes a request with all its questions.
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

// head returns the request or question to answer next; nil if there is none.
func (b *inbox) head() *waiting {
	if len(b.waiting) == 0 {
		return nil
	}
	return b.waiting[0]
}

// take removes the head after its answer.
func (b *inbox) take() {
	b.note(b.waiting[0].id())
	b.waiting = b.waiting[1:]
}

// answer reads a line as the answer to the head. It returns the request to send, or what is wrong with the line.
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
	case request.GetPermission() != nil && w.question != nil: // declining one question declines the whole request
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
			return nil, "Add a text for the agent: d TEXT."
		}
		return decide(p.GetRequestId(), pb.PermissionDecision_DENY, rest), ""
	}
	return nil, "Answer with " + permissionKeys + "."
}

// decide returns an answer to a permission request.
func decide(request string, decision pb.PermissionDecision, message string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: request, Decision: decision, Message: message,
	}}}
}

// answerQuestion reads numbers of options, or any other text as it is. A lone "-" declines.
func answerQuestion(q *pb.UserQuestion, line string) (*pb.AgentRequest, string) {
	line = strings.TrimSpace(line)
	switch line {
	case "":
		return nil, "Answer with the number of an option, or in your own words; - declines."
	case "-":
		return decide(requestOf(q.GetQuestionId()), pb.PermissionDecision_DENY, "The user declined to answer."), ""
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

// text returns the request or question for a person; with keys also what can be typed.
func (w *waiting) text(s console.Style, now time.Time, keys bool) string {
	var b strings.Builder
	if p := w.permission; p != nil {
		fmt.Fprintf(&b, "%s %s", s.Yellow("? allow"), s.Bold(console.Line(p.GetToolName())))
		if p.GetSubagentId() != "" {
			fmt.Fprintf(&b, " of subagent %s", s.Bold(console.Line(p.GetSubagentName())))
		}
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
	asks := s.Yellow("?")
	if q.GetSubagentId() != "" {
		asks += " subagent " + console.Line(q.GetSubagentName()) + " asks:"
	}
	fmt.Fprintf(&b, "%s %s\n", asks, s.Bold(console.Text(q.GetQuestion())))
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

// inputLines returns the whole input of a tool, because a person decides about it, but no more than a screen.
func inputLines(p *pb.PermissionRequest) []string {
	if len(p.GetInput().GetFields()) == 0 {
		return nil
	}
	var lines []string
	for _, key := range render.FieldOrder(p.GetInput().GetFields()) {
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
