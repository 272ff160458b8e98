package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/plangraph"
	pb "betcode/proto/betcode/v1"
)

// Plans is the graph of orchestrations: the newest first, each with its steps as a tree. It is plain data.
type Plans struct {
	style         console.Style
	width, height int
	rows          []planRow
	chosen        string // key of the row under the cursor
	first         int    // index of the first row shown
	read          bool   // an answer has come
	trouble       string
}

// planRow is a row of the graph: the title of an orchestration, or a step.
type planRow struct {
	key     string // names it within all rows
	session string // of the step's newest attempt; empty: it cannot be opened
	text    string
}

// Took takes the orchestrations, or why there are none.
func (p *Plans) Took(found []*pb.OrchestrationInfo, err error) {
	if p.trouble = ""; err != nil {
		p.trouble = "the plans were not read: " + reason(err)
		return
	}
	p.read, p.rows = true, planRows(found, p.style, max(p.width-4, 20))
}

// planRows returns the rows of orchestrations.
func planRows(found []*pb.OrchestrationInfo, style console.Style, width int) (rows []planRow) {
	for _, o := range found {
		rows = append(rows, planRow{key: o.GetId(), text: planTitle(o, style)})
		sessions := map[string]string{}
		var nodes []plangraph.Node
		for _, s := range o.GetSteps() {
			sessions[s.GetId()] = s.GetSubagentId()
			nodes = append(nodes, plangraph.Node{
				ID: s.GetId(), Name: s.GetName(), DependsOn: s.GetDependsOn(), Status: console.Enum(s.GetStatus(), "STEP_STATUS_"),
				Merge: s.GetMergeInto(), Attempt: s.GetAttempt(), Note: s.GetErrorMessage(),
			})
		}
		for _, row := range plangraph.Tree(nodes, style, width-2) {
			rows = append(rows, planRow{o.GetId() + "/" + row.ID, sessions[row.ID], "  " + row.Text})
		}
	}
	return rows
}

// planTitle describes the progress of an orchestration.
func planTitle(o *pb.OrchestrationInfo, style console.Style) string {
	state := console.Enum(o.GetState(), "ORCHESTRATION_STATE_")
	if o.GetPaused() && o.GetState() == pb.OrchestrationState_ORCHESTRATION_STATE_RUNNING {
		state = "paused"
	}
	parts := []string{
		style.Bold(console.Shorten(console.Line(cmp.Or(o.GetName(), "plan "+console.ShortID(o.GetId()))), 40)), state,
		fmt.Sprintf("%d of %d completed", o.GetCompletedSteps(), o.GetTotalSteps()),
	}
	if n := o.GetFailedSteps(); n > 0 {
		parts = append(parts, style.Red(fmt.Sprintf("%d failed", n)))
	}
	if o.GetCostUsd() > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", o.GetCostUsd()))
	}
	if o.GetReason() != "" {
		parts = append(parts, console.Line(o.GetReason()))
	}
	return strings.Join(parts, style.Dim(" · "))
}

// planLines returns the orchestrations for a screen reader.
func planLines(found []*pb.OrchestrationInfo) []string {
	if len(found) == 0 {
		return []string{"There is no plan."}
	}
	var lines []string
	for _, o := range found {
		lines = append(lines, strings.ReplaceAll(planTitle(o, false), " · ", ", "))
		for _, s := range o.GetSteps() {
			line := "  " + console.Line(cmp.Or(s.GetName(), s.GetId())) + ": " + console.Enum(s.GetStatus(), "STEP_STATUS_")
			if len(s.GetDependsOn()) > 0 {
				line += ", after " + console.Line(strings.Join(s.GetDependsOn(), ", "))
			}
			if s.GetErrorMessage() != "" {
				line += ": " + console.Line(s.GetErrorMessage())
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Say shows a short answer.
func (p *Plans) Say(text string) { p.trouble = console.Line(text) }

// at returns the index of the chosen row.
func (p *Plans) at() int {
	return max(slices.IndexFunc(p.rows, func(r planRow) bool { return r.key == p.chosen }), 0)
}

// Press handles a key.
func (p *Plans) Press(k editor.Key) Effect {
	at := p.at()
	switch k.Name {
	case "esc", "q", "p", "left", "h":
		return HidePlans{}
	case "ctrl+c", "ctrl+d":
		return Quit{}
	case "enter", "l", "right":
		if at < len(p.rows) && p.rows[at].session != "" {
			return Open{Session: p.rows[at].session}
		}
	}
	if at = moved(at, k.Name, len(p.rows), p.height); at >= 0 {
		p.chosen = p.rows[at].key
	}
	return nil
}

// Rows returns the whole screen.
func (p *Plans) Rows(time.Time) []string {
	out := []string{p.style.Bold("plans"), ""}
	body := max(p.height-4, 1)
	switch {
	case !p.read && p.trouble == "":
		out = append(out, p.style.Dim("reading the plans …"))
	case len(p.rows) == 0 && p.trouble == "":
		out = append(out, p.style.Dim("no plan yet: betcode orchestrate --help"))
	case len(p.rows) == 0: // there is room for all of it
		for line := range strings.SplitSeq(ansi.Wrap(p.trouble, max(p.width-1, 1), ""), "\n") {
			out = append(out, p.style.Red(line))
		}
	}
	at := p.at()
	switch {
	case at < p.first:
		p.first = at
	case at >= p.first+body:
		p.first = at - body + 1
	}
	for i := p.first; i < min(p.first+body, len(p.rows)); i++ {
		mark := "  "
		if i == at {
			mark = p.style.Bold("› ")
		}
		out = append(out, mark+p.rows[i].text)
	}
	for len(out) < p.height-2 {
		out = append(out, "")
	}
	foot := p.style.Dim("j k move · Enter open the session of a step · Esc back")
	if p.trouble != "" && len(p.rows) > 0 {
		foot = p.style.Red(p.trouble)
	}
	out = append(out[:max(p.height-2, 2)], p.style.Dim(strings.Repeat("─", max(p.width-1, 1))), foot)
	for i := range out {
		out[i] = ansi.Truncate(out[i], max(p.width-1, 1), "…")
	}
	return out
}
