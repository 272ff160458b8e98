package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Renderer writes events as text for a person. It does not show permission requests and questions, which are shown when
// they are to be answered.
type Renderer struct {
	w       io.Writer
	style   console.Style
	verbose bool            // show thinking, subagents, processes and raw lines
	typed   map[string]bool // keys of messages typed here, which are on the screen already

	client         string // whose screen it is
	session, model string // last shown
	unended        bool   // the cursor is behind text
	block          string // of the text being written
	shown          shownParts
	failures       failures
	asked          asked
	planning       bool   // plan mode is on
	planKnown      bool   // that is known
	plan           string // last shown
}

// NewRenderer returns a renderer that writes to w.
func NewRenderer(w io.Writer, style console.Style, verbose bool) *Renderer {
	return &Renderer{w: w, style: style, verbose: verbose, typed: map[string]bool{}}
}

// As says which client reads the screen, by the id that the daemon knows. Without one a reader takes no part.
func (r *Renderer) As(client string) { r.client = client }

// Typed records the key of a message that was typed here, so that its event is not shown again.
func (r *Renderer) Typed(key string) { r.typed[key] = true }

// MidLine reports whether the cursor is behind text.
func (r *Renderer) MidLine() bool { return r.unended }

// Line writes a line, and ends a line that is not ended first.
func (r *Renderer) Line(format string, args ...any) {
	r.EndLine()
	fmt.Fprintf(r.w, format+"\n", args...)
}

// EndLine ends a line that is not ended.
func (r *Renderer) EndLine() {
	if r.unended {
		fmt.Fprintln(r.w)
		r.unended = false
	}
}

// Event writes one event.
func (r *Renderer) Event(e *pb.AgentEvent) {
	s := r.style
	if e.GetParentToolUseId() != "" && !r.verbose {
		return // of a subagent, whose result is shown
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_TextDelta:
		r.text(event.TextDelta)
	case *pb.AgentEvent_ToolCallStart:
		r.toolCall(event.ToolCallStart)
	case *pb.AgentEvent_ToolCallResult:
		r.toolResult(event.ToolCallResult)
	case *pb.AgentEvent_PermissionRequest:
		// shown when it is to be answered
	case *pb.AgentEvent_UserQuestion:
		r.asked.ask(event.UserQuestion.GetQuestion())
	case *pb.AgentEvent_TodoUpdate:
		for _, item := range event.TodoUpdate.GetItems() {
			r.Line("  %s %s", todoMark(item.GetStatus()), console.Line(item.GetSubject()))
		}
	case *pb.AgentEvent_StatusChange:
		r.status(event.StatusChange)
	case *pb.AgentEvent_SessionInfo:
		r.info(event.SessionInfo)
	case *pb.AgentEvent_Error:
		r.failure(event.Error)
	case *pb.AgentEvent_Usage:
		r.Line("%s", s.Dim(usage(event.Usage)))
	case *pb.AgentEvent_PlanMode:
		r.planMode(event.PlanMode)
	case *pb.AgentEvent_TurnComplete:
		r.turnComplete(event.TurnComplete)
	case *pb.AgentEvent_UserInput:
		r.Prompted()
		if !r.typed[event.UserInput.GetIdempotencyKey()] && event.UserInput.GetIteration() <= 1 { // of another one its number was shown
			r.Line("%s %s", s.Bold(">"), strings.ReplaceAll(console.Text(event.UserInput.GetContent()), "\n", "\n  "))
		}
		for _, file := range event.UserInput.GetAttachments() {
			r.Line("  %s", s.Dim(fmt.Sprintf("with %s (%s, %d bytes)", console.Line(file.GetFilename()), console.Line(file.GetMimeType()), file.GetSize())))
		}
	case *pb.AgentEvent_Encrypted:
		r.Line("%s", s.Dim("(an encrypted event)"))
	case *pb.AgentEvent_Deprecation:
		d := event.Deprecation
		r.Line("%s %s is going away in %s; use %s", s.Yellow("deprecated:"), console.Line(d.GetFeature()), console.Line(d.GetRemovalVersion()), console.Line(d.GetReplacement()))
	case *pb.AgentEvent_PermissionResolved:
		r.Line("%s", s.Dim(resolution(event.PermissionResolved, r.asked, r.client)))
	case *pb.AgentEvent_Run:
		r.run(event.Run)
	case *pb.AgentEvent_Lock:
		r.lock(event.Lock)
	case *pb.AgentEvent_Presence:
		if r.verbose {
			r.Line("%s", s.Dim(r.presence(event.Presence)))
		}
	case *pb.AgentEvent_Subagent:
		r.Line("%s", s.Dim(subagentChange(event.Subagent)))
	case *pb.AgentEvent_Repeat:
		r.Line("%s", s.Dim(repeated(event.Repeat)))
	case *pb.AgentEvent_Lagging:
		if r.verbose {
			r.Line("%s", s.Dim("catching up"))
		}
	case *pb.AgentEvent_Raw:
		if r.verbose {
			r.Line("%s", s.Dim("raw: "+console.Shorten(console.Line(string(event.Raw.GetLine())), 200)))
		}
	case *pb.AgentEvent_Task:
		t := event.Task
		what := t.GetDescription()
		if t.GetSummary() != "" {
			what = t.GetSummary()
		}
		r.Line("%s", s.Dim(console.Line(t.GetKind()+" "+t.GetState()+": "+what)))
	case *pb.AgentEvent_Notice:
		if event.Notice.GetCode() == "PERMISSION_EXTENDED" {
			return // published every minute while a client is active
		}
		r.Line("%s %s", s.Yellow("note:"), console.Line(event.Notice.GetMessage()))
	case *pb.AgentEvent_Retraction:
		r.retraction(event.Retraction)
	case nil:
		// an event of a newer daemon
	}
}

// planMode writes that plan mode is entered or left, and the plan. The agent reports both several times.
func (r *Renderer) planMode(p *pb.PlanModeChange) {
	switch change := r.planning != p.GetActive() || !r.planKnown; {
	case change && p.GetActive():
		r.Line("%s", r.style.Dim("plan mode"))
	case change:
		r.Line("%s", r.style.Dim("plan mode is over"))
	}
	r.planKnown, r.planning = true, p.GetActive()
	if r.planning && p.GetPlan() == "" {
		r.plan = ""
	}
	if plan := p.GetPlan(); plan != "" && plan != r.plan {
		r.plan = plan
		r.Line("%s", console.Text(plan))
	}
}

// text writes a piece of text.
func (r *Renderer) text(t *pb.TextDelta) {
	if t.GetThinking() && !r.verbose {
		return
	}
	if t.GetWithdrawn() {
		r.Line("%s", r.style.Dim("(the agent took this back)"))
		return
	}
	if r.block != t.GetBlockId() {
		r.EndLine()
		r.block = t.GetBlockId()
	}
	said := cmp.Or(t.GetThinkingText(), t.GetText()) // older events have thinking in text
	if text := console.Text(said); text != "" {
		if t.GetThinking() {
			text = r.style.Dim(text)
		}
		fmt.Fprint(r.w, text)
		r.shown.text(t.GetBlockId(), said)
		r.Said(t)
		r.unended = !strings.HasSuffix(said, "\n")
	}
	if t.GetIsComplete() {
		r.EndLine()
	}
}

// Said notes text of the agent that a person has read, so that an error of the same words is not written again. The caller of a
// renderer that gets no text calls it.
func (r *Renderer) Said(t *pb.TextDelta) {
	if !t.GetThinking() {
		r.failures.said(t)
	}
}

// Prompted notes a new message: what fails then is news. The caller of a renderer that gets no messages calls it.
func (r *Renderer) Prompted() { r.failures.forget() }

// failure writes an error, unless the agent has just said the same. A message that another client's lock keeps out names that
// client, and the way to get the lock.
func (r *Renderer) failure(e *pb.ErrorEvent) {
	holder := e.GetDetails()["holder_client_id"]
	switch {
	case e.GetCode() == "NO_INPUT_LOCK" && holder != "" && e.GetDetails()["lock_reserved"] == "true":
		r.Line("%s not sent: the input lock is reserved for %s, which held it before the daemon ended. Send the message again in a moment",
			r.style.Red("error:"), r.Name(holder))
	case e.GetCode() == "NO_INPUT_LOCK" && holder != "":
		r.Line("%s not sent: %s holds the input lock. /lock asks for it", r.style.Red("error:"), r.Name(holder))
	case r.failures.failed(e.GetMessage()):
		message := e.GetMessage()
		if _, remedy, ok := strings.Cut(message, "; "); ok && e.GetCode() == "NOT_LOGGED_IN" && r.failures.read(e.GetDetails()["reason"]) {
			message = remedy // the agent has reported the error
		}
		r.Line("%s %s", r.style.Red("error:"), console.Line(message))
	}
}

func (r *Renderer) status(c *pb.StatusChange) {
	switch c.GetStatus() {
	case pb.AgentStatus_COMPACTING:
		r.Line("%s", r.style.Dim("the agent summarises its context"))
	case pb.AgentStatus_ERROR:
		if !r.failures.read(c.GetMessage()) {
			r.Line("%s %s", r.style.Red("the agent cannot go on:"), console.Line(c.GetMessage()))
		}
	case pb.AgentStatus_AGENT_STATUS_UNSPECIFIED, pb.AgentStatus_THINKING, pb.AgentStatus_EXECUTING_TOOL,
		pb.AgentStatus_WAITING_FOR_USER, pb.AgentStatus_IDLE:
		if r.verbose {
			r.Line("%s", r.style.Dim(strings.ToLower(c.GetStatus().String())))
		}
	}
}

// info shows session and model when they change.
func (r *Renderer) info(i *pb.SessionInfo) {
	if i.GetSessionId() == r.session && i.GetModel() == r.model {
		return
	}
	words := []string{"session " + i.GetSessionId(), i.GetModel(), i.GetWorkingDirectory()}
	if i.GetSessionId() == r.session {
		if i.GetModel() == "" { // not known yet
			return
		}
		words = []string{"model " + i.GetModel()}
	}
	r.session, r.model = i.GetSessionId(), i.GetModel()
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	r.Line("%s", r.style.Dim(console.Line(strings.Join(words, " · "))))
	if i.GetIsCompacted() {
		r.Line("%s", r.style.Dim("(older history is gone)"))
	}
}

func (r *Renderer) turnComplete(t *pb.TurnComplete) {
	r.shown.forget()
	switch {
	case t.GetStopReason() == "cancelled":
		r.Line("%s", r.style.Yellow("interrupted"))
	case t.GetIsError() && r.failures.read(t.GetError()):
		r.Line("%s", r.style.Red("the turn failed"))
	case t.GetIsError():
		r.Line("%s %s", r.style.Red("the turn failed:"), console.Line(t.GetError()))
	default:
		r.EndLine()
	}
}

// lockRequest returns the line for a request for the input lock. It names the requester and the holder. Only the holder is shown the
// commands that answer the request.
func (r *Renderer) lockRequest(l *pb.LockChange) string {
	requester := console.ClientBeside(r.client, l.GetRequestedBy(), l.GetHolder())
	holder := console.ClientBeside(r.client, l.GetHolder(), l.GetRequestedBy())
	switch r.client {
	case "":
	case l.GetHolder():
		return requester + " asks for your input lock: /release gives it up, /refuse keeps it"
	case l.GetRequestedBy():
		return "you asked " + holder + " for the input lock; it is yours in ten seconds unless " + holder + " keeps it"
	}
	return requester + " asks " + holder + " for the input lock"
}

// lockMoved returns the line for a lock that went from one client to another.
func (r *Renderer) lockMoved(l *pb.LockChange) string {
	holder := console.ClientBeside(r.client, l.GetHolder(), l.GetPreviousHolder())
	before := console.ClientBeside(r.client, l.GetPreviousHolder(), l.GetHolder())
	if l.GetHolder() == r.client {
		return "you have the input lock now, which " + before + " had"
	}
	return holder + " has the input lock now, which " + before + " had; /lock asks for it"
}

// Name returns the name of a client for the person who reads the screen.
func (r *Renderer) Name(client string) string { return console.ClientTo(r.client, client) }

func (r *Renderer) run(e *pb.RunEvent) {
	switch {
	case e.GetState() == pb.RunState_RUN_STATE_ADOPTED:
		r.Line("%s", r.style.Dim(fmt.Sprintf("the agent (pid %d) was taken over by a new daemon", e.GetPid())))
	case e.GetState() == pb.RunState_RUN_STATE_LOST, e.GetStatusUnknown():
		r.Line("%s", r.style.Yellow("the agent has ended; its exit status is unknown"))
	case e.GetState() == pb.RunState_RUN_STATE_EXITED && e.GetExitCode() != 0:
		r.Line("%s", r.style.Yellow(console.Line(fmt.Sprintf("the agent ended with %d: %s", e.GetExitCode(), e.GetReason()))))
	case r.verbose:
		r.Line("%s", r.style.Dim(console.Line(fmt.Sprintf("run %d: %s, pid %d, %s", e.GetRun(), e.GetState(), e.GetPid(), e.GetReason()))))
	}
}

// lock shows a request for the input lock, because its holder has ten seconds to respond, and that it went from one client to
// another, because the loser cannot write any more; with verbose every change.
func (r *Renderer) lock(l *pb.LockChange) {
	switch {
	case l.GetRequestedBy() != "":
		r.Line("%s %s", r.style.Yellow("note:"), r.lockRequest(l))
	case l.GetOfferedTo() != "" && l.GetOfferedTo() == r.client:
		r.Line("%s the input lock is offered to you: /lock takes it", r.style.Yellow("note:"))
	case l.GetOfferedTo() != "":
		r.Line("%s the input lock is offered to %s", r.style.Yellow("note:"), r.Name(l.GetOfferedTo()))
	case l.GetHolder() != "" && l.GetPreviousHolder() != "" && l.GetHolder() != l.GetPreviousHolder():
		r.Line("%s %s", r.style.Yellow("note:"), r.lockMoved(l))
	case r.verbose:
		r.Line("%s", r.style.Dim("input lock: "+console.OrNobody(r.Name(l.GetHolder()))))
	}
}
