package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Markdown writes the history of a session as Markdown: messages, tool calls and decisions. It leaves out thinking,
// subagents, processes and usage.
//
// It does not write text that the agent took back. The agent may take back a block and everything behind it, so the pieces
// of a turn are buffered until the turn is over.
type Markdown struct {
	w      io.Writer
	last   uint64 // sequence of the last event
	pieces []piece
	spoke  string // author of the last heading
	asked  asked
}

// NewMarkdown returns a writer of Markdown to w.
func NewMarkdown(w io.Writer) *Markdown { return &Markdown{w: w} }

// piece is a block of text or a tool call of the turn that is being read.
type piece struct {
	id   string // of the block or the call
	text []byte
}

// Session writes the heading.
func (m *Markdown) Session(v *pb.ShowSessionResponse) error {
	s := v.GetSummary()
	_, err := fmt.Fprintf(m.w, "# %s\n\n", console.Line(cmp.Or(s.GetName(), s.GetTitle(), "Session "+s.GetId())))
	for _, row := range [][2]string{
		{"Session", s.GetId()},
		{"Directory", s.GetWorkingDirectory()},
		{"Model", s.GetModel()},
		{"Created", console.Exact(s.GetCreatedAt())},
		{"Updated", console.Exact(s.GetUpdatedAt())},
		{"Cost", fmt.Sprintf("$%.4f", s.GetTotalCostUsd())},
	} {
		if row[1] != "" && err == nil {
			_, err = fmt.Fprintf(m.w, "- %s: %s\n", row[0], console.Line(row[1]))
		}
	}
	return err
}

// Event takes the next event, in the order of their sequences.
func (m *Markdown) Event(e *pb.AgentEvent) error {
	if n := e.GetSequence(); n > m.last+1 {
		m.note(fmt.Sprintf("The events %d to %d are not in the journal any more.", m.last+1, n-1))
	}
	m.last = e.GetSequence()
	if e.GetParentToolUseId() != "" {
		return nil
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_Repeat:
		if err := m.flush(); err != nil {
			return err
		}
		m.note(repeated(event.Repeat))
	case *pb.AgentEvent_UserInput:
		if err := m.flush(); err != nil {
			return err
		}
		m.spoke = ""
		if event.UserInput.GetIteration() > 1 { // the same text again
			return nil
		}
		return m.write("\n## You\n\n" + console.Text(event.UserInput.GetContent()) + "\n")
	case *pb.AgentEvent_TextDelta:
		m.text(event.TextDelta)
	case *pb.AgentEvent_ToolCallStart:
		m.call(event.ToolCallStart)
	case *pb.AgentEvent_ToolCallResult:
		result := event.ToolCallResult
		heading := "Result"
		if result.GetIsError() {
			heading = "Failed"
		}
		m.add(resultOf+result.GetToolId(), heading+":\n\n"+fenced(result.GetOutput()))
	case *pb.AgentEvent_Retraction:
		m.retract(event.Retraction)
	case *pb.AgentEvent_PermissionRequest:
		m.note("Permission asked for " + event.PermissionRequest.GetToolName() + ": " +
			console.ToolCall(event.PermissionRequest.GetToolName(), event.PermissionRequest.GetInput(), event.PermissionRequest.GetDescription(), 0))
	case *pb.AgentEvent_UserQuestion:
		m.asked.ask(event.UserQuestion.GetQuestion())
		m.note("Question: " + event.UserQuestion.GetQuestion())
	case *pb.AgentEvent_PermissionResolved:
		m.note(resolution(event.PermissionResolved, m.asked, ""))
	case *pb.AgentEvent_PlanMode:
		if plan := event.PlanMode.GetPlan(); plan != "" {
			m.add("plan", console.Text(plan))
		}
	case *pb.AgentEvent_Error:
		m.note("Error: " + event.Error.GetMessage())
	case *pb.AgentEvent_Notice:
		m.note(event.Notice.GetMessage())
	case *pb.AgentEvent_TurnComplete:
		if event.TurnComplete.GetStopReason() == "cancelled" {
			m.note("Interrupted")
		}
		return m.flush()
	}
	return nil
}

func (m *Markdown) text(t *pb.TextDelta) {
	switch i := m.find(t.GetBlockId()); {
	case t.GetWithdrawn() && i >= 0:
		m.pieces = m.pieces[:i]
	case t.GetThinking() || t.GetWithdrawn():
	case i >= 0:
		m.pieces[i].text = append(m.pieces[i].text, console.Text(t.GetText())...)
	case t.GetText() != "":
		m.add(t.GetBlockId(), console.Text(t.GetText()))
	}
}

// resultOf begins the id of the piece that holds the result of a call.
const resultOf = "result of "

// retract removes pieces that the agent took back.
func (m *Markdown) retract(r *pb.Retraction) {
	m.pieces = slices.DeleteFunc(m.pieces, func(p piece) bool {
		return slices.Contains(r.GetBlockIds(), p.id) || slices.Contains(r.GetToolIds(), strings.TrimPrefix(p.id, resultOf))
	})
}

func (m *Markdown) call(t *pb.ToolCallStart) {
	if i := m.find(t.GetToolId()); t.GetWithdrawn() {
		if i >= 0 {
			m.pieces = slices.Delete(m.pieces, i, i+1)
		}
		return
	}
	input, err := protojson.Marshal(t.GetInput())
	if err != nil {
		input = []byte(err.Error())
	}
	title := "**" + console.Line(t.GetToolName()) + "**"
	if d := console.ToolCall(t.GetToolName(), t.GetInput(), t.GetDescription(), 0); d != "" {
		title += ": " + console.Line(d)
	}
	body := string(input)
	if words := summary(t.GetInput()); words != "" && len(t.GetInput().GetFields()) == 1 {
		body = words
	}
	m.add(t.GetToolId(), title+"\n\n"+fenced(body))
}

// note adds a line that is of neither the person nor the agent.
func (m *Markdown) note(text string) { m.add("", "*"+console.Line(text)+"*") }

func (m *Markdown) add(id, text string) {
	m.pieces = append(m.pieces, piece{id, []byte(text)})
}

func (m *Markdown) find(id string) int {
	if id == "" {
		return -1
	}
	return slices.IndexFunc(m.pieces, func(p piece) bool { return p.id == id })
}

// flush writes the pieces of a turn that is over.
func (m *Markdown) flush() error {
	for _, p := range m.pieces {
		if p.id != "" && m.spoke == "" {
			m.spoke = "agent"
			if err := m.write("\n## Agent\n"); err != nil {
				return err
			}
		}
		if err := m.write("\n" + strings.TrimRight(string(p.text), "\n") + "\n"); err != nil {
			return err
		}
	}
	m.pieces = nil
	return nil
}

// End writes what is buffered.
func (m *Markdown) End() error { return m.flush() }

func (m *Markdown) write(text string) error {
	_, err := io.WriteString(m.w, text)
	return err
}

// fenced returns text in a fence that is longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(console.Text(text), "\n") + "\n" + fence
}
