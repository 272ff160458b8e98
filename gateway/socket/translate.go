package socket

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // uuids of version 5
	"strconv"

	"github.com/google/uuid"

	"betcode/gateway/refusal"
	pb "betcode/proto/betcode/v1"
)

// The values of TurnComplete.stop_reason with a special result subtype.
const (
	stopMaxTurns  = "max_turns"
	stopMaxBudget = "max_budget"
	stopCancelled = "cancelled"
)

// translator converts the events of one session to lines. It is pure: the same events give the same
// lines, so a replayed session has the same requests and uuids.
//
//	UserInput, status of work   processing, once a turn
//	status of work              system, once a turn and before all that follows
//	TextDelta                   stream_delta …; assistant_text at the end of a block of text
//	ToolCallStart, …Result      tool_use, tool_result
//	PermissionRequest           permission_request
//	UserQuestion, all of one    question
//	UsageReport, TurnComplete   result
//	StatusChange IDLE           idle
//	ErrorEvent                  error
//
// Events about processes, locks, tasks and presence have no line.
type translator struct {
	id       ref
	session  string // id at the daemon, and of the conversation that a client resumes
	extended bool   // the client knows our additional lines

	model, directory string

	booted     bool // system was sent before
	systemSent bool // system was sent in this turn
	busy       bool // processing was sent, and idle not yet
	requests   requestTable

	open   []*message // messages in progress, one for each agent and subagent
	answer *string    // the last text of the turn
	turns  int        // messages of the model in this turn
	usage  *pb.UsageReport
	asks   []question // of the newest AskUserQuestion, for the headers
	asking []question // of one request, until all have arrived

	event  uint64 // number of the event
	named  int    // number of uuids generated for the event
	hashed []byte // buffer for the input of a uuid
	out    []any
}

func newTranslator(id ref, session string, before uint64) *translator {
	return &translator{id: id, session: session, requests: newRequestTable(before)}
}

// translate returns the lines of an event. A volatile event has none: it is sent again with a number when the journal
// is writable.
func (t *translator) translate(e *pb.AgentEvent) []any {
	t.out = nil
	if e.GetVolatile() {
		return nil
	}
	if e.GetSequence() != t.event || e.GetSequence() == 0 {
		t.event, t.named = e.GetSequence(), 0
	}
	switch v := e.GetEvent().(type) {
	case *pb.AgentEvent_SessionInfo:
		t.model, t.directory = cmp.Or(v.SessionInfo.GetModel(), t.model), cmp.Or(v.SessionInfo.GetWorkingDirectory(), t.directory)
	case *pb.AgentEvent_UserInput:
		t.processing()
	case *pb.AgentEvent_StatusChange:
		t.status(v.StatusChange.GetStatus())
	case *pb.AgentEvent_TextDelta:
		t.delta(e.GetParentToolUseId(), v.TextDelta)
	case *pb.AgentEvent_ToolCallStart:
		t.call(e.GetParentToolUseId(), v.ToolCallStart)
	case *pb.AgentEvent_ToolCallResult:
		t.closeMessages()
		r := v.ToolCallResult
		t.put(toolResult{t.head("tool_result"), t.uuid("result/" + r.GetToolId()), r.GetToolId(), r.GetOutput(), r.GetIsError()})
	case *pb.AgentEvent_PermissionRequest:
		t.permission(v.PermissionRequest)
	case *pb.AgentEvent_UserQuestion:
		t.question(v.UserQuestion)
	case *pb.AgentEvent_PermissionResolved:
		t.resolved(v.PermissionResolved)
	case *pb.AgentEvent_Usage:
		t.usage = v.Usage
	case *pb.AgentEvent_TurnComplete:
		t.complete(v.TurnComplete)
	case *pb.AgentEvent_Error:
		t.failed(v.Error)
	}
	return t.out
}

func (t *translator) head(kind string) head { return head{t.id, kind} }

func (t *translator) put(lines ...any) { t.out = append(t.out, lines...) }

// putInTurn adds a line that must follow the system line.
func (t *translator) putInTurn(line any) {
	t.system()
	t.put(line)
}

// uuids is the namespace of uuids of lines, which are derived from their content, so that a replay has the same ones.
var uuids = uuid.MustParse("6f9a3b52-0c1d-5e8a-9a41-7c5be4d2f301")

// uuid is [uuid.NewSHA1] without an allocation for the hash, since every line of a stream needs one.
func (t *translator) uuid(about string) string {
	t.hashed = append(append(append(append(t.hashed[:0], uuids[:]...), t.session...), '/'), about...)
	sum := sha1.Sum(t.hashed) //nolint:gosec // a name, not a secret
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|5<<4, id[8]&0x3f|0x80
	return id.String()
}

// lineUUID returns a uuid for a line of the event.
func (t *translator) lineUUID() string {
	t.named++
	return t.uuid("event/" + strconv.FormatUint(t.event, 10) + "/" + strconv.Itoa(t.named))
}

func (t *translator) processing() {
	if !t.busy {
		t.busy, t.systemSent = true, false
		t.answer, t.turns, t.usage = nil, 0, nil
		t.put(status(t.id, statusProcessing))
	}
}

func (t *translator) system() {
	t.processing()
	if !t.systemSent {
		t.systemSent, t.booted = true, true
		t.put(systemLine{head: t.head("system"), Subtype: "init", Conversation: t.session, Model: t.model, Cwd: t.directory})
	}
}

func (t *translator) status(s pb.AgentStatus) {
	switch s {
	case pb.AgentStatus_THINKING, pb.AgentStatus_EXECUTING_TOOL, pb.AgentStatus_WAITING_FOR_USER, pb.AgentStatus_COMPACTING:
		t.system()
	case pb.AgentStatus_IDLE:
		t.idle()
	case pb.AgentStatus_ERROR, pb.AgentStatus_AGENT_STATUS_UNSPECIFIED:
	}
}

func (t *translator) idle() {
	if t.busy {
		t.closeMessages()
		t.busy = false
		t.put(status(t.id, statusIdle))
	}
}

func (t *translator) call(parent string, c *pb.ToolCallStart) {
	if c.GetWithdrawn() {
		return
	}
	t.message(parent, "").called = true
	if c.GetToolName() == "AskUserQuestion" {
		t.asks = questionsIn(c.GetInput().AsMap())
	}
	t.putInTurn(toolUse{t.head("tool_use"), t.uuid("call/" + c.GetToolId()), c.GetToolName(), c.GetInput().AsMap(), c.GetToolId()})
}

func (t *translator) complete(c *pb.TurnComplete) {
	t.closeMessages()
	line := resultLine{
		head: t.head("result"), Subtype: "success", IsError: c.GetIsError(), Result: t.answer,
		Cost: t.usage.GetCostUsd(), Duration: t.usage.GetDurationMs(), Turns: max(t.turns, 1),
	}
	switch stop := c.GetStopReason(); {
	case stop == stopMaxTurns:
		line.Subtype = "error_max_turns"
	case stop == stopMaxBudget:
		line.Subtype = "error_max_budget_usd"
	case stop == stopCancelled, c.GetIsError():
		line.Subtype = "error_during_execution"
	}
	if line.Subtype != "success" {
		line.Result = nil
		if c.GetError() != "" {
			line.Errors = []string{c.GetError()}
		}
	}
	t.putInTurn(line)
	t.answer, t.turns, t.usage = nil, 0, nil
}

// failed adds the line for an error. If no turn runs, the error also ends a refused prompt.
func (t *translator) failed(e *pb.ErrorEvent) {
	t.put(failure(t.id, refusal.Text(e)))
	if e.GetDetails()["idempotency_key"] != "" && !t.busy {
		t.put(status(t.id, statusIdle))
	}
}
