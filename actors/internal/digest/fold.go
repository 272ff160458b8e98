package digest

import (
	"cmp"
	"slices"
	"strings"

	"betcode/messages"
	"betcode/messages/toolcall"
	pb "betcode/proto/betcode/v1"
)

// Bounds of a digest.
const (
	maxFiles     = 20
	maxDecisions = 20
	maxNotices   = 20
	maxText      = 240 // bytes
	maxOpen      = 256 // calls and requests that are followed at once
)

// Fold sums up the events of one session, in their order. The zero value has no events.
type Fold struct {
	digest   messages.SessionDigest
	files    map[string]bool
	calls    map[string]string // files that running calls change, by id of the call
	requests map[string]string // undecided requests
	text     strings.Builder   // of the block that is being written
}

// Digest returns the sum.
func (f *Fold) Digest() messages.SessionDigest {
	d := f.digest
	d.FilesTotal, d.Undecided = len(f.files), len(f.requests)
	return d
}

// Quiet reports whether nothing noteworthy happened.
func (f *Fold) Quiet() bool {
	d := &f.digest
	return d.Messages == 0 && d.Turns == 0 && d.Decided == 0 && len(f.requests) == 0 && len(d.Notices) == 0 && len(f.files) == 0 && d.LastText == ""
}

// Add adds an event.
func (f *Fold) Add(seq messages.Seq, e *pb.AgentEvent) {
	d := &f.digest
	if d.First == 0 {
		d.First = seq
	}
	d.Last, d.LastAt = seq, e.GetTimestamp().AsTime()
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_UserInput:
		d.Messages++
	case *pb.AgentEvent_TextDelta:
		f.piece(event.TextDelta)
	case *pb.AgentEvent_TurnComplete:
		d.Turns++
		if event.TurnComplete.GetIsError() {
			d.Failed++
			d.LastError = cmp.Or(event.TurnComplete.GetError(), event.TurnComplete.GetStopReason())
		}
	case *pb.AgentEvent_Usage:
		if !event.Usage.GetCostUnknown() {
			d.CostUSD += max(event.Usage.GetCostUsd(), 0)
		}
	case *pb.AgentEvent_ToolCallStart:
		f.call(event.ToolCallStart)
	case *pb.AgentEvent_ToolCallResult:
		f.returned(event.ToolCallResult)
	case *pb.AgentEvent_PermissionRequest:
		f.asked(event.PermissionRequest.GetRequestId(), event.PermissionRequest.GetDescription())
	case *pb.AgentEvent_UserQuestion:
		id, _, _ := strings.Cut(event.UserQuestion.GetQuestionId(), "/")
		f.asked(id, event.UserQuestion.GetQuestion())
	case *pb.AgentEvent_PermissionResolved:
		f.decided(e, event.PermissionResolved)
	case *pb.AgentEvent_Notice:
		f.note(event.Notice.GetCode())
	case *pb.AgentEvent_Error:
		f.note(event.Error.GetCode())
	}
}

// piece adds a piece of the agent's text.
func (f *Fold) piece(p *pb.TextDelta) {
	if p.GetThinking() {
		return
	}
	if f.text.Len() <= maxText {
		f.text.WriteString(p.GetText())
	}
	if !p.GetIsComplete() {
		return
	}
	if text := strings.Join(strings.Fields(f.text.String()), " "); text != "" && !p.GetWithdrawn() {
		f.digest.LastText = toolcall.Cut(text, maxText)
	}
	f.text.Reset()
}

// changing are the tools that change the file that they name, with the argument that names it.
var changing = map[string]string{"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}

func (f *Fold) call(start *pb.ToolCallStart) {
	file := start.GetInput().GetFields()[changing[start.GetToolName()]].GetStringValue()
	if file == "" || start.GetWithdrawn() || len(f.calls) >= maxOpen {
		return
	}
	if f.calls == nil {
		f.calls = map[string]string{}
	}
	f.calls[start.GetToolId()] = file
}

// returned counts the file of a call that has succeeded.
func (f *Fold) returned(result *pb.ToolCallResult) {
	file := f.calls[result.GetToolId()]
	delete(f.calls, result.GetToolId())
	if file == "" || result.GetIsError() || f.files[file] {
		return
	}
	if f.files == nil {
		f.files = map[string]bool{}
	}
	if f.files[file] = true; len(f.digest.Files) < maxFiles {
		f.digest.Files = append(f.digest.Files, file)
	}
}

func (f *Fold) asked(id, what string) {
	if f.requests == nil {
		f.requests = map[string]string{}
	}
	if len(f.requests) < maxOpen {
		f.requests[id] = what
	}
}

// outcomes are the names of decisions.
var outcomes = map[pb.PermissionDecision]string{
	pb.PermissionDecision_ALLOW_ONCE: "allowed", pb.PermissionDecision_ALLOW_SESSION: "allowed", pb.PermissionDecision_ALLOW_WITH_EDIT: "allowed",
	pb.PermissionDecision_DENY: "denied", pb.PermissionDecision_DENY_NO_INTERRUPT: "denied", pb.PermissionDecision_DENY_WITH_INTERRUPT: "denied",
}

// decided records the end of a request. A request that another one replaces has not ended.
func (f *Fold) decided(e *pb.AgentEvent, resolved *pb.PermissionResolved) {
	what := f.requests[resolved.GetRequestId()]
	delete(f.requests, resolved.GetRequestId())
	if resolved.GetReason() == "superseded" {
		f.asked(resolved.GetSupersededBy(), what)
		return
	}
	outcome := outcomes[resolved.GetDecision()]
	if reason := resolved.GetReason(); reason == "expired" || reason == "withdrawn" {
		outcome = reason
	}
	f.digest.Decided++
	if len(f.digest.Decisions) < maxDecisions {
		f.digest.Decisions = append(f.digest.Decisions, messages.DigestDecision{
			Request: toolcall.Cut(what, maxText), Outcome: cmp.Or(outcome, "answered"), By: resolved.GetResolvedBy(), At: e.GetTimestamp().AsTime(),
		})
	}
}

func (f *Fold) note(code string) {
	if code != "" && len(f.digest.Notices) < maxNotices && !slices.Contains(f.digest.Notices, code) {
		f.digest.Notices = append(f.digest.Notices, code)
	}
}
