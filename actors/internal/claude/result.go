package claude

import (
	"slices"
	"strconv"
	"strings"

	betcodev1 "betcode/proto/betcode/v1"
)

// Stop reasons of TurnComplete that are not stop reasons of the API.
const (
	stopCancelled = "cancelled" // as the API document spells it
	stopError     = "error"
	stopEnd       = "end_turn"
)

const memoryGone = "No conversation found"

// maxResultText bounds the agent's last text in TurnEnded, in bytes.
const maxResultText = 4 << 10

// result translates the end of a turn. The agent marks a failed request as a success
// with is_error, and an interrupt as an error.
func (t *translation) result() {
	r := &t.l
	t.endTurn()
	ended := TurnEnded{
		Inputs:         t.answered(),
		Subtype:        r.Subtype,
		TerminalReason: r.TerminalReason,
		StopReason:     t.stopReason(),
		ResumeReason:   r.ResumeReason,
		IsError:        r.IsError || strings.HasPrefix(r.Subtype, "error"), // old versions do not mark an interrupt
		LocalCommand:   r.LocalCommand != "" && r.LocalCommand != "false",
		Queued:         clampInt(r.QueuedTurns, 1<<20),
		ContextTokens:  t.s.d.Context,
		ContextWindow:  clampInt(r.ModelUsage[t.s.d.Model].ContextWindow, uint64(1<<40)),
	}
	if r.Origin.Kind != "human" {
		ended.Origin = r.Origin.Kind
	}
	for _, d := range r.Denials {
		ended.Denials = append(ended.Denials, Denial(d))
	}
	ended.MemoryGone = t.memoryGone()
	ended.Unasked = t.unasked(&ended)
	if ended.IsError {
		ended.Error = t.errorText()
	} else {
		ended.Text = cut(string(r.Result), maxResultText)
	}
	ended.Usage = t.turnUsage()

	if ended.MemoryGone { // no turn ran, so none is over
		t.notice("CONVERSATION_NOT_FOUND", ended.Error)
	} else {
		t.unshownResult()
		t.failure(&ended)
		t.report(ended.Usage, ended.contextUsage())
		t.complete(&ended)
	}
	t.s.d.Turn, t.s.d.Said, t.s.d.Notified, t.s.d.Aborted, t.s.d.Fault = false, false, false, false, fault{}
	t.s.d.Begun, t.s.d.Unasked, t.s.d.Taken = false, false, nil
	t.add(ended)
}

// originUnknown is the agent's origin of a message that is marked as synthetic and did not
// come from the agent itself.
const originUnknown = "unclassified"

// unasked reports whether a turn has no cause that the agent knows of, like a message
// without an id.
func (t *translation) unasked(ended *TurnEnded) bool {
	return t.s.d.Unasked && !ended.MemoryGone && len(ended.Inputs) == 0 && ended.ResumeReason == "" && (ended.Origin == "" || ended.Origin == originUnknown)
}

// memoryGone reports whether the line means that the conversation to be resumed does
// not exist. Some versions give such a line an unknown id.
func (t *translation) memoryGone() bool {
	return t.l.Type == "result" && t.l.IsError &&
		slices.ContainsFunc(t.l.Errors, func(e loose) bool { return strings.HasPrefix(string(e), memoryGone) })
}

// answered lists the messages that a result answers. Old versions list none of
// them, or the last: then they are the messages that were taken up since the previous
// result.
func (t *translation) answered() []string {
	all := t.l.Inputs
	if len(all) == 0 && t.l.Input != "" {
		all = []string{t.l.Input}
	}
	if !t.s.d.Partial {
		return all
	}
	for _, k := range t.s.d.Taken {
		if !slices.Contains(all, k) {
			all = append(slices.Clip(all), k)
		}
	}
	return all
}

// taken records that a message has become part of the conversation.
func (t *translation) taken(message string) {
	if message != "" && !slices.Contains(t.s.d.Taken, key(message)) {
		t.s.d.Taken = with(t.s.d.Taken, key(message), maxTaken)
	}
}

// endTurn ends everything that the main thread has left open. Subagents continue.
func (t *translation) endTurn() {
	for m := range t.s.d.Messages {
		if t.s.d.Messages[m].Parent == "" {
			t.finishMessage(m, false)
		}
	}
	t.endCalls("The turn ended before this call gave a result.", false, func(c call) bool { return c.Parent == "" })
}

// unshownResult shows a result that no message of the turn has shown, like that of
// some slash commands.
func (t *translation) unshownResult() {
	if t.l.Result == "" || t.s.d.Said {
		return
	}
	m := t.s.addMessage(carried{ID: t.s.newID(), Next: 1})
	t.text(m, block{Kind: kindText}, string(t.l.Result), true)
}

// failure drafts an ErrorEvent for a failed turn that the agent marks as a success: a request
// to the API that could not be answered.
func (t *translation) failure(ended *TurnEnded) {
	if !ended.IsError || ended.Subtype != "success" || ended.StopReason == stopCancelled {
		return
	}
	details := map[string]string{}
	status, kind := clampInt(t.l.APIErrorStatus, 999), string(t.l.APIErrorType)
	if status == 0 {
		status = t.s.d.Fault.Status
	}
	if kind == "" {
		kind = t.s.d.Fault.Type
	}
	for k, v := range map[string]string{"terminal_reason": t.l.TerminalReason, "api_error_type": kind} {
		if v != "" {
			details[k] = short(v)
		}
	}
	if status != 0 {
		details["api_error_status"] = strconv.Itoa(status)
	}
	ended.Failure = t.errorCode(status)
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_Error{Error: &betcodev1.ErrorEvent{
		Code: ended.Failure, Message: ended.Error, Details: details,
	}}})
	if ended.Failure == codeRateLimited {
		t.add(RateLimited{Until: limitEnd(ended.Error)})
	}
}

// errorCode returns the code of a failure: from the agent's error, otherwise from the status.
func (t *translation) errorCode(status int) string {
	switch {
	case t.l.StopReason == "refusal":
		return "REFUSAL"
	case t.s.d.Fault.Code == "rate_limit":
		return codeRateLimited
	case t.s.d.Fault.Code != "" && t.s.d.Fault.Code != "unknown":
		return code(t.s.d.Fault.Code)
	case t.l.TerminalReason != "" && t.l.TerminalReason != "api_error" && t.l.TerminalReason != "completed":
		return code(t.l.TerminalReason)
	}
	switch status {
	case 401, 403:
		return "AUTHENTICATION_FAILED"
	case 404:
		return "MODEL_NOT_FOUND"
	case 413:
		return "PROMPT_TOO_LONG"
	case 429:
		return codeRateLimited
	case 529:
		return "OVERLOADED"
	case 400:
		return "INVALID_REQUEST"
	}
	return "API_ERROR"
}

func (t *translation) complete(ended *TurnEnded) {
	keys := make([]string, 0, min(len(ended.Inputs), maxList))
	for _, k := range ended.Inputs[:min(len(ended.Inputs), maxList)] {
		keys = append(keys, short(k))
	}
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_TurnComplete{TurnComplete: &betcodev1.TurnComplete{
		StopReason: short(ended.StopReason), IsError: ended.IsError, Error: ended.Error,
		InputKeys: keys, Origin: short(ended.Origin),
	}}})
}

// stopReason returns why a turn is over, as a stop reason of the API if there is one.
func (t *translation) stopReason() string {
	switch r := &t.l; {
	case strings.HasPrefix(r.TerminalReason, "aborted"),
		r.TerminalReason == "" && r.Subtype == "error_during_execution" && t.s.d.Aborted:
		return stopCancelled
	case r.Subtype == "error_max_turns":
		return "max_turns"
	case r.Subtype == "error_max_budget_usd":
		return "max_budget"
	case r.IsError && r.StopReason == "refusal":
		return "refusal"
	case r.IsError || strings.HasPrefix(r.Subtype, "error"):
		return stopError
	case r.StopReason == "":
		return stopEnd
	}
	return t.l.StopReason
}

// errorText returns the failure as a text for people, without the agent's diagnostics.
func (t *translation) errorText() string {
	r := &t.l
	var texts []string
	size := 0
	for _, e := range r.Errors {
		if e == "" || strings.HasPrefix(string(e), "[ede_diagnostic]") || size > maxError {
			continue
		}
		texts = append(texts, string(e))
		size += len(e)
	}
	text := strings.Join(texts, "\n")
	if text == "" {
		text = string(r.Result)
	}
	if text == "" {
		switch t.stopReason() {
		case stopCancelled:
			text = "The turn was interrupted."
		case "max_turns":
			text = "The turn reached the limit of its steps."
		case "max_budget":
			text = "The turn reached the limit of its budget."
		default:
			text = "The turn failed without saying why."
		}
	}
	return cut(text, maxError)
}
