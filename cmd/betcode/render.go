package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// resultLines is how much of a tool's output is shown.
const resultLines = 6

// renderer writes events as text for a person. What waits for an answer is the
// inbox's to show.
type renderer struct {
	w       io.Writer
	style   console.Style
	verbose bool            // thinking, subagents, processes, raw lines
	own     map[string]bool // keys of messages typed here: they are on the screen already

	session, model string // last shown
	midLine        bool
	block          string // of the text being written
	shown          shownParts
}

// line begins a new line if need be.
func (r *renderer) line(format string, args ...any) {
	r.endLine()
	fmt.Fprintf(r.w, format+"\n", args...)
}

func (r *renderer) endLine() {
	if r.midLine {
		fmt.Fprintln(r.w)
		r.midLine = false
	}
}

// event writes one event.
func (r *renderer) event(e *pb.AgentEvent) {
	s := r.style
	if e.GetParentToolUseId() != "" && !r.verbose {
		return // a subagent's; its result is shown
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_TextDelta:
		r.text(event.TextDelta)
	case *pb.AgentEvent_ToolCallStart:
		r.toolCall(event.ToolCallStart)
	case *pb.AgentEvent_ToolCallResult:
		r.toolResult(event.ToolCallResult)
	case *pb.AgentEvent_PermissionRequest, *pb.AgentEvent_UserQuestion:
		// shown when it is to be answered
	case *pb.AgentEvent_TodoUpdate:
		for _, item := range event.TodoUpdate.GetItems() {
			r.line("  %s %s", todoMark(item.GetStatus()), console.Line(item.GetSubject()))
		}
	case *pb.AgentEvent_StatusChange:
		r.status(event.StatusChange)
	case *pb.AgentEvent_SessionInfo:
		r.info(event.SessionInfo)
	case *pb.AgentEvent_Error:
		r.line("%s %s", s.Red("error:"), console.Line(event.Error.GetMessage()))
	case *pb.AgentEvent_Usage:
		r.line("%s", s.Dim(usage(event.Usage)))
	case *pb.AgentEvent_PlanMode:
		if event.PlanMode.GetActive() {
			r.line("%s", s.Dim("plan mode"))
		} else {
			r.line("%s", s.Dim("plan mode is over"))
		}
		if plan := event.PlanMode.GetPlan(); plan != "" {
			r.line("%s", console.Text(plan))
		}
	case *pb.AgentEvent_TurnComplete:
		r.turnComplete(event.TurnComplete)
	case *pb.AgentEvent_UserInput:
		if !r.own[event.UserInput.GetIdempotencyKey()] {
			r.line("%s %s", s.Bold(">"), strings.ReplaceAll(console.Text(event.UserInput.GetContent()), "\n", "\n  "))
		}
		for _, file := range event.UserInput.GetAttachments() {
			r.line("  %s", s.Dim(fmt.Sprintf("with %s (%s, %d bytes)", console.Line(file.GetFilename()), console.Line(file.GetMimeType()), file.GetSize())))
		}
	case *pb.AgentEvent_Encrypted:
		r.line("%s", s.Dim("(an encrypted event)"))
	case *pb.AgentEvent_Deprecation:
		d := event.Deprecation
		r.line("%s %s is going away in %s; use %s", s.Yellow("deprecated:"), console.Line(d.GetFeature()), console.Line(d.GetRemovalVersion()), console.Line(d.GetReplacement()))
	case *pb.AgentEvent_PermissionResolved:
		r.line("%s", s.Dim(resolution(event.PermissionResolved)))
	case *pb.AgentEvent_Run:
		r.run(event.Run)
	case *pb.AgentEvent_Lock:
		r.lock(event.Lock)
	case *pb.AgentEvent_Presence:
		if r.verbose {
			r.line("%s", s.Dim(presence(event.Presence)))
		}
	case *pb.AgentEvent_Lagging:
		if r.verbose {
			r.line("%s", s.Dim("catching up"))
		}
	case *pb.AgentEvent_Raw:
		if r.verbose {
			r.line("%s", s.Dim("raw: "+console.Shorten(console.Line(string(event.Raw.GetLine())), 200)))
		}
	case *pb.AgentEvent_Task:
		t := event.Task
		what := t.GetDescription()
		if t.GetSummary() != "" {
			what = t.GetSummary()
		}
		r.line("%s", s.Dim(console.Line(t.GetKind()+" "+t.GetState()+": "+what)))
	case *pb.AgentEvent_Notice:
		if event.Notice.GetCode() == "PERMISSION_EXTENDED" {
			return // every minute of activity; the prompt stays as it is
		}
		r.line("%s %s", s.Yellow("note:"), console.Line(event.Notice.GetMessage()))
	case *pb.AgentEvent_Retraction:
		r.retraction(event.Retraction)
	case nil:
		// of a newer daemon
	}
}

// text writes a piece of text as it comes.
func (r *renderer) text(t *pb.TextDelta) {
	if t.GetThinking() && !r.verbose {
		return
	}
	if t.GetWithdrawn() {
		r.line("%s", r.style.Dim("(the agent took this back)"))
		return
	}
	if r.block != t.GetBlockId() {
		r.endLine()
		r.block = t.GetBlockId()
	}
	said := cmp.Or(t.GetThinkingText(), t.GetText()) // older events have thinking in text
	if text := console.Text(said); text != "" {
		if t.GetThinking() {
			text = r.style.Dim(text)
		}
		fmt.Fprint(r.w, text)
		r.shown.text(t.GetBlockId(), said)
		r.midLine = !strings.HasSuffix(said, "\n")
	}
	if t.GetIsComplete() {
		r.endLine()
	}
}

func (r *renderer) toolCall(t *pb.ToolCallStart) {
	if t.GetWithdrawn() {
		r.line("%s", r.style.Dim("(the agent took back its call of "+console.Line(t.GetToolName())+")"))
		return
	}
	r.shown.call(t.GetToolId(), t.GetToolName())
	r.line("%s %s  %s", r.style.Green("●"), r.style.Bold(console.Line(t.GetToolName())), console.ToolCall(t.GetToolName(), t.GetInput(), t.GetDescription(), 160))
}

func (r *renderer) toolResult(t *pb.ToolCallResult) {
	lines := strings.Split(strings.TrimRight(console.Text(t.GetOutput()), "\n"), "\n")
	rest := len(lines) - resultLines
	if rest > 0 {
		lines = lines[:resultLines]
	}
	for _, line := range lines {
		line = console.Shorten(line, 200)
		if t.GetIsError() {
			r.line("    %s", r.style.Red(line))
		} else {
			r.line("    %s", r.style.Dim(line))
		}
	}
	if rest > 0 {
		r.line("    %s", r.style.Dim(fmt.Sprintf("… %d more lines", rest)))
	}
}

func (r *renderer) status(c *pb.StatusChange) {
	switch c.GetStatus() {
	case pb.AgentStatus_COMPACTING:
		r.line("%s", r.style.Dim("the agent summarises its context"))
	case pb.AgentStatus_ERROR:
		r.line("%s %s", r.style.Red("the agent cannot go on:"), console.Line(c.GetMessage()))
	case pb.AgentStatus_AGENT_STATUS_UNSPECIFIED, pb.AgentStatus_THINKING, pb.AgentStatus_EXECUTING_TOOL,
		pb.AgentStatus_WAITING_FOR_USER, pb.AgentStatus_IDLE:
		if r.verbose {
			r.line("%s", r.style.Dim(strings.ToLower(c.GetStatus().String())))
		}
	}
}

// info is shown when it says something new.
func (r *renderer) info(i *pb.SessionInfo) {
	if i.GetSessionId() == r.session && i.GetModel() == r.model {
		return
	}
	words := []string{"session " + i.GetSessionId(), i.GetModel(), i.GetWorkingDirectory()}
	if i.GetSessionId() == r.session {
		words = []string{"model " + i.GetModel()}
	}
	r.session, r.model = i.GetSessionId(), i.GetModel()
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	r.line("%s", r.style.Dim(console.Line(strings.Join(words, " · "))))
	if i.GetIsCompacted() {
		r.line("%s", r.style.Dim("(older history is gone)"))
	}
}

func (r *renderer) turnComplete(t *pb.TurnComplete) {
	r.shown.forget()
	switch {
	case t.GetStopReason() == "cancelled":
		r.line("%s", r.style.Yellow("interrupted"))
	case t.GetIsError():
		r.line("%s %s", r.style.Red("the turn failed:"), console.Line(t.GetError()))
	default:
		r.endLine()
	}
}

func (r *renderer) run(e *pb.RunEvent) {
	switch {
	case e.GetState() == pb.RunState_RUN_STATE_ADOPTED:
		r.line("%s", r.style.Dim(fmt.Sprintf("the agent (pid %d) was taken over by a new daemon", e.GetPid())))
	case e.GetState() == pb.RunState_RUN_STATE_LOST, e.GetStatusUnknown():
		r.line("%s", r.style.Yellow("the agent is gone, nobody saw how"))
	case e.GetState() == pb.RunState_RUN_STATE_EXITED && e.GetExitCode() != 0:
		r.line("%s", r.style.Yellow(console.Line(fmt.Sprintf("the agent ended with %d: %s", e.GetExitCode(), e.GetReason()))))
	case r.verbose:
		r.line("%s", r.style.Dim(console.Line(fmt.Sprintf("run %d: %s, pid %d, %s", e.GetRun(), e.GetState(), e.GetPid(), e.GetReason()))))
	}
}

func resolution(p *pb.PermissionResolved) string {
	who := p.GetResolvedBy()
	switch p.GetReason() {
	case "withdrawn":
		return "the agent no longer asks"
	case "superseded":
		return "the agent asks again"
	case "expired":
		return "nobody answered in time: denied"
	case "rule", "grant":
		who = "a " + p.GetReason()
	}
	what := strings.ToLower(strings.ReplaceAll(p.GetDecision().String(), "_", " "))
	if p.GetDecision() == pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED {
		what = "answered"
	}
	return console.Line(what + " by " + console.OrNobody(who))
}

func usage(u *pb.UsageReport) string {
	text := fmt.Sprintf("%d tokens in, %d out", u.GetInputTokens()+u.GetCacheReadTokens()+u.GetCacheCreationTokens(), u.GetOutputTokens())
	if u.GetCostUsd() > 0 {
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

// telling are the members of a tool's input that say most about a call.
var telling = []string{"command", "file_path", "path", "pattern", "query", "url", "description", "prompt"}

// fieldOrder puts what says most first.
func fieldOrder(fields map[string]*structpb.Value) []string {
	rank := func(key string) int {
		if i := slices.Index(telling, key); i >= 0 {
			return i
		}
		return len(telling)
	}
	keys := slices.Sorted(maps.Keys(fields))
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

// summary is one line about a tool's input.
func summary(input *structpb.Struct) string {
	for _, key := range fieldOrder(input.GetFields()) {
		if text := input.GetFields()[key].GetStringValue(); text != "" {
			return text
		}
	}
	return ""
}

// lock tells of a request for the input lock, since its holder has only ten seconds, and
// of the rest who wants to know.
func (r *renderer) lock(l *pb.LockChange) {
	switch {
	case l.GetRequestedBy() != "":
		r.line("%s %s asks for the input lock of %s: /release gives it up, /refuse keeps it", r.style.Yellow("note:"),
			console.Line(l.GetRequestedBy()), console.Line(l.GetHolder()))
	case l.GetOfferedTo() != "":
		r.line("%s the input lock is offered to %s: /lock takes it", r.style.Yellow("note:"), console.Line(l.GetOfferedTo()))
	case r.verbose:
		r.line("%s", r.style.Dim("input lock: "+console.Line(console.OrNobody(l.GetHolder()))))
	}
}

// presence says in a line who came or left.
func presence(p *pb.PresenceChange) string {
	var words []string
	for _, c := range p.GetAttached() {
		words = append(words, console.Line(c.GetClientId())+" is here")
	}
	for _, id := range p.GetDetached() {
		words = append(words, console.Line(id)+" has left")
	}
	return console.Shorten(strings.Join(words, ", "), 200)
}
