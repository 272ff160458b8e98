package lines

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
)

// Writer converts the events of one session to lines. It gets the events in order, each once.
//
//	SessionInfo                   the model and the directory of later lines
//	RunEvent, a start             system init
//	UserInput                     user
//	TextDelta, the end of a block assistant with text or thinking
//	ToolCallStart                 assistant with tool_use
//	ToolCallResult                user with tool_result
//	UsageReport, TurnComplete     result
//	Retraction, RepeatProgress    portal
//	Notice that people need      portal
//	Raw of type error             error
//	ErrorEvent with a sequence    error
type Writer struct {
	session string

	model, directory string
	blocks           map[string]*strings.Builder // open, by parent and block
	answer           *string                     // the last text of the turn
	messages         map[string]bool             // of the model, in this turn
	usage            *pb.UsageReport

	last time.Time
	out  []Line
	at   *pb.AgentEvent
}

// New returns a writer of a session.
func New(session string) *Writer {
	return &Writer{session: session, blocks: map[string]*strings.Builder{}, messages: map[string]bool{}}
}

// Clone returns an independent writer with the same state.
func (w *Writer) Clone() *Writer {
	c := *w
	c.blocks, c.messages, c.out, c.at = map[string]*strings.Builder{}, maps.Clone(w.messages), nil, nil
	for key, text := range w.blocks {
		c.blocks[key] = &strings.Builder{}
		c.blocks[key].WriteString(text.String())
	}
	return &c
}

// Describe sets the model and the directory, for events that do not begin with them.
func (w *Writer) Describe(model, directory string) { w.model, w.directory = model, directory }

// Described returns the model and the directory that later lines have.
func (w *Writer) Described() (model, directory string) { return w.model, w.directory }

// Lines returns the lines that an event completes.
func (w *Writer) Lines(e *pb.AgentEvent) []Line {
	w.out, w.at = nil, e
	if e.GetSessionInfo() == nil && (e.GetSequence() == 0 || e.GetVolatile()) {
		return nil // it is sent again with a number if it is journaled
	}
	switch v := e.GetEvent().(type) {
	case *pb.AgentEvent_SessionInfo:
		w.model, w.directory = cmp.Or(v.SessionInfo.GetModel(), w.model), cmp.Or(v.SessionInfo.GetWorkingDirectory(), w.directory)
	case *pb.AgentEvent_Run:
		w.run(v.Run)
	case *pb.AgentEvent_UserInput:
		w.input(v.UserInput)
	case *pb.AgentEvent_TextDelta:
		w.delta(v.TextDelta)
	case *pb.AgentEvent_ToolCallStart:
		w.call(v.ToolCallStart)
	case *pb.AgentEvent_ToolCallResult:
		r := v.ToolCallResult
		w.user(toolResultBlock{r.GetToolId(), "tool_result", outputOf(r), r.GetIsError()})
	case *pb.AgentEvent_Usage:
		w.usage = v.Usage
	case *pb.AgentEvent_TurnComplete:
		w.result(v.TurnComplete)
	case *pb.AgentEvent_Retraction:
		w.note("The agent has taken its last answer back; another one takes its place.")
	case *pb.AgentEvent_Repeat:
		w.note(repeated(v.Repeat))
	case *pb.AgentEvent_Notice:
		if shown[v.Notice.GetCode()] {
			w.note(v.Notice.GetMessage())
		}
	case *pb.AgentEvent_Raw:
		w.raw(v.Raw)
	case *pb.AgentEvent_Error:
		w.put("error", func(lineHead) any { return failed("api_error", v.Error.GetMessage()) })
	}
	return w.out
}

// namespace of the ids of lines.
var namespace = uuid.MustParse("0d6a4c0e-5b53-5d0b-8a7e-2f6f3f1f4a90")

// put adds a line. Only journaled events have lines.
func (w *Writer) put(kind string, of func(lineHead) any) {
	if w.at.GetSequence() == 0 {
		return
	}
	index := len(w.out)
	id := uuid.NewSHA1(namespace, []byte(w.session+"/"+strconv.FormatUint(w.at.GetSequence(), 10)+"/"+strconv.Itoa(index))).String()
	h := lineHead{Type: kind, Session: w.session, UUID: id}
	if parent := w.at.GetParentToolUseId(); parent != "" {
		h.Parent = &parent
	}
	w.out = append(w.out, Line{w.at.GetSequence(), index, id, kind, w.time(), encode(of(h))})
}

// time returns the time of the next line, in microseconds: that of the event, or slightly later, so
// that a reader can ask for lines after a time.
func (w *Writer) time() time.Time {
	at := w.at.GetTimestamp().AsTime().Truncate(time.Microsecond)
	if !at.After(w.last) {
		at = w.last.Add(time.Microsecond)
	}
	w.last = at
	return at
}

func (w *Writer) note(text string) {
	w.put("portal", func(lineHead) any { return portalLine{"portal", []any{textBlock{"text", text}}} })
}

func (w *Writer) run(r *pb.RunEvent) {
	if r.GetState() != pb.RunState_RUN_STATE_STARTED {
		return
	}
	w.put("system", func(h lineHead) any {
		return systemLine{
			lineHead: h, Subtype: "init", Cwd: w.directory, Model: w.model, Tools: []string{}, McpServers: []string{},
			PermissionMode: "default", APIKeySource: "none",
		}
	})
}

func (w *Writer) input(u *pb.UserInput) {
	blocks := []any{textBlock{"text", u.GetContent()}}
	for _, file := range u.GetAttachments() {
		blocks = append(blocks, textBlock{"text", "[" + cmp.Or(file.GetFilename(), file.GetMimeType()) + "]"})
	}
	w.user(blocks...)
}

// outputOf returns the output of a tool, followed by a note if it is truncated, since the dialects have no field for
// that.
func outputOf(r *pb.ToolCallResult) string {
	if !r.GetTruncated() {
		return r.GetOutput()
	}
	return fmt.Sprintf("%s\n[The first %d of %d bytes are shown.]", r.GetOutput(), len(r.GetOutput()), r.GetFullBytes())
}

func (w *Writer) user(blocks ...any) {
	w.put("user", func(h lineHead) any { return messageLine{h, userMessage{"user", blocks}} })
}

func (w *Writer) call(c *pb.ToolCallStart) {
	if c.GetWithdrawn() {
		return
	}
	var input any = map[string]any{}
	if c.GetInput() != nil {
		input = c.GetInput().AsMap()
	}
	w.assistant(c.GetToolId(), toolUseBlock{"tool_use", c.GetToolId(), c.GetToolName(), input})
}

func (w *Writer) assistant(message string, block any) {
	if w.at.GetParentToolUseId() == "" && len(w.messages) < maxOpenBlocks {
		w.messages[message] = true
	}
	w.put("assistant", func(h lineHead) any {
		return messageLine{h, assistantMessage{
			ID: cmp.Or(message, h.UUID), Type: "message", Role: "assistant", Model: w.model, Content: []any{block}, Usage: usage{ServiceTier: "standard"},
		}}
	})
}

func (w *Writer) result(c *pb.TurnComplete) {
	u := w.usage
	line := resultLine{
		Subtype: "success", IsError: c.GetIsError(), Duration: u.GetDurationMs(), API: u.GetDurationMs(), Turns: max(len(w.messages), 1),
		Result: w.answer, Denials: []any{},
		Usage: usage{
			Input: u.GetInputTokens(), CacheCreation: u.GetCacheCreationTokens(), CacheRead: u.GetCacheReadTokens(), Output: u.GetOutputTokens(),
			ServiceTier: "standard",
		},
	}
	cost := u.GetCostUsd()
	if total := u.GetTotal(); total != nil { // readers take the cost of the session from the last result
		cost = float64(total.GetCostMicros()) / 1e6
	}
	if !math.IsNaN(cost) && !math.IsInf(cost, 0) {
		line.Cost = cost
	}
	if stop := c.GetStopReason(); stop != "" {
		line.Stop = &stop
	}
	if c.GetIsError() || c.GetStopReason() == "cancelled" {
		line.Subtype = "error_during_execution"
		if c.GetError() != "" {
			text := c.GetError()
			line.Errors, line.Result = []string{text}, &text
		}
	}
	w.put("result", func(h lineHead) any {
		line.lineHead = h
		return line
	})
	w.answer, w.usage = nil, nil
	clear(w.messages)
	clear(w.blocks)
}
