package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Decided returns the participle of a decision.
func Decided(d pb.PermissionDecision) string {
	switch d {
	case pb.PermissionDecision_ALLOW_ONCE:
		return "allowed"
	case pb.PermissionDecision_ALLOW_SESSION:
		return "allowed for the whole session"
	case pb.PermissionDecision_ALLOW_WITH_EDIT:
		return "allowed with an edit"
	case pb.PermissionDecision_DENY, pb.PermissionDecision_DENY_NO_INTERRUPT:
		return "denied"
	case pb.PermissionDecision_DENY_WITH_INTERRUPT:
		return "denied, and the turn interrupted,"
	case pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED:
	}
	return "answered"
}

// maxAsked bounds how many questions are remembered for the order of their answers.
const maxAsked = 64

// asked are the questions that no answer was shown for yet, in the order in which they were asked.
type asked []string

func (a *asked) ask(question string) {
	if *a = append(*a, question); len(*a) > maxAsked {
		*a = (*a)[len(*a)-maxAsked:]
	}
}

// resolution describes on one line how a permission request was resolved. Answers are in the order of the questions that were
// asked before. reader is the client whose person reads the line; empty: it takes no part.
func resolution(p *pb.PermissionResolved, asked asked, reader string) string {
	who := p.GetResolvedBy()
	switch p.GetReason() {
	case "withdrawn":
		return "the agent no longer asks"
	case "superseded":
		return "the agent asks again"
	case "expired":
		return "no answer in time: denied"
	case "rule", "grant":
		who = "a " + p.GetReason()
	}
	what := Decided(p.GetDecision())
	if len(p.GetAnswers()) > 0 {
		what = Decided(pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED)
	}
	line := what + " by " + console.OrNobody(console.ClientTo(reader, who))
	switch {
	case len(p.GetAnswers()) > 0:
		line += ": " + answers(p.GetAnswers(), asked)
	case p.GetDescription() != "":
		line += ": " + p.GetDescription()
	}
	return console.Line(line)
}

// answers lists the answers to the questions of a request on one line.
func answers(given map[string]string, asked asked) string {
	questions := slices.Sorted(maps.Keys(given))
	place := func(question string) int { // of the latest one with this text; those that are not known come first
		for i, text := range slices.Backward(asked) {
			if text == question {
				return i
			}
		}
		return -1
	}
	slices.SortStableFunc(questions, func(a, b string) int { return place(a) - place(b) })
	var out []string
	for _, question := range questions {
		out = append(out, console.Shorten(console.Line(question), 80)+" → "+console.Shorten(console.Line(given[question]), 160))
	}
	return strings.Join(out, "; ")
}

// repeated describes the progress of a repeated message on one line.
func repeated(p *pb.RepeatProgress) string {
	switch p.GetState() {
	case pb.RepeatState_REPEAT_STATE_PROMPTED:
		return fmt.Sprintf("loop %d of %d", p.GetIteration(), p.GetMax())
	case pb.RepeatState_REPEAT_STATE_COMPLETE:
		return "complete after " + console.Count(p.GetIteration(), "prompt")
	case pb.RepeatState_REPEAT_STATE_EXHAUSTED, pb.RepeatState_REPEAT_STATE_FAILED, pb.RepeatState_REPEAT_STATE_CANCELLED, pb.RepeatState_REPEAT_STATE_UNSPECIFIED:
	}
	return console.Line(fmt.Sprintf("not repeated any more after %d of %d: %s", p.GetIteration(), p.GetMax(), p.GetReason()))
}

func usage(u *pb.UsageReport) string {
	text := fmt.Sprintf("%d tokens in, %d out", u.GetInputTokens()+u.GetCacheReadTokens()+u.GetCacheCreationTokens(), u.GetOutputTokens())
	switch {
	case u.GetCostUnknown():
		text += ", cost unknown"
	case u.GetCostUsd() > 0:
		text += fmt.Sprintf(", $%.4f", u.GetCostUsd())
	}
	if u.GetDurationMs() > 0 {
		text += fmt.Sprintf(", %.1fs", float64(u.GetDurationMs())/1000)
	}
	return text
}

func todoMark(s pb.TodoStatus) string {
	switch s {
	case pb.TodoStatus_COMPLETED:
		return "[x]"
	case pb.TodoStatus_IN_PROGRESS:
		return "[~]"
	case pb.TodoStatus_PENDING, pb.TodoStatus_TODO_STATUS_UNSPECIFIED:
		return "[ ]"
	}
	return "[?]"
}

// presence lists on one line the clients that attached or left.
func (r *Renderer) presence(p *pb.PresenceChange) string {
	var words []string
	for _, c := range p.GetAttached() {
		words = append(words, here(r.Name(c.GetClientId())))
	}
	for _, id := range p.GetDetached() {
		words = append(words, r.Name(id)+" has left")
	}
	return console.Shorten(strings.Join(words, ", "), 200)
}

// here says that a client is attached.
func here(name string) string {
	if name == "you" {
		return "you are here"
	}
	return name + " is here"
}

// subagentChange describes the begin or the end of a subagent on one line.
func subagentChange(c *pb.SubagentChange) string {
	if c.GetStatus() == "pending" {
		return "subagent of " + console.Line(c.GetParentSessionId())
	}
	line := "subagent " + console.Line(c.GetStatus())
	if c.GetStatus() != "completed" && c.GetResultSummary() != "" { // its text is above
		line += ": " + console.Shorten(console.Line(c.GetResultSummary()), 200)
	}
	return line
}
