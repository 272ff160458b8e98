package inbox

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/render"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// Text returns the request, or its first question, for a person; with keys also what can be typed.
func (r *Request) Text(s console.Style, now time.Time, keys bool) string {
	var b strings.Builder
	if p := r.Permission; p != nil {
		if r.Plan() {
			fmt.Fprintf(&b, "%s %s", s.Yellow("?"), s.Bold("the agent has a plan"))
		} else {
			fmt.Fprintf(&b, "%s %s", s.Yellow("? allow"), s.Bold(console.Line(p.GetToolName())))
		}
		if by := Asker(p); by != "" {
			fmt.Fprintf(&b, " of %s", s.Bold(by))
		}
		if !r.Plan() && (p.GetDescription() != "" || len(p.GetInput().GetFields()) > 0) {
			fmt.Fprintf(&b, ": %s", console.ToolCall(p.GetToolName(), p.GetInput(), p.GetDescription(), 500))
		}
		fmt.Fprintln(&b)
		for _, line := range inputLines(p) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		for _, line := range Reasons(p) {
			fmt.Fprintf(&b, "    %s\n", s.Dim(line))
		}
		if p.GetExpiresAt() != nil {
			fmt.Fprintf(&b, "    %s\n", s.Dim("expires in "+console.Span(max(p.GetExpiresAt().AsTime().Sub(now), 0))))
		}
		if keys {
			fmt.Fprintf(&b, "  %s\n", s.Dim(r.keys()))
		}
		return b.String()
	}
	q := r.Questions[0]
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

// Asker names the subagent that makes a request: one with a session of its own, or one within the agent; empty for the agent itself.
func Asker(p *pb.PermissionRequest) string {
	switch {
	case p.GetSubagentId() != "":
		return "subagent " + console.Line(cmp.Or(p.GetSubagentName(), console.ShortID(p.GetSubagentId())))
	case p.GetAgentId() != "":
		return "a subagent"
	}
	return ""
}

// Reasons returns the reasons why a person is asked.
func Reasons(p *pb.PermissionRequest) (out []string) {
	add := func(label, text string) {
		if text != "" {
			out = append(out, label+console.Line(text))
		}
	}
	add("asks because: ", p.GetReason())
	add("your rule: ask ", p.GetMatchedAskRule())
	add("the agent says: ", p.GetDecisionReason())
	add("because of: ", p.GetBlockedPath())
	return out
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
