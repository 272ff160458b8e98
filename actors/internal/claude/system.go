package claude

import (
	"fmt"
	"strconv"
	"time"

	"betcode/messages"
	"betcode/messages/claudecode"
	betcodev1 "betcode/proto/betcode/v1"
)

// system translates the agent's reports about itself.
func (t *translation) system() {
	switch t.l.Subtype {
	case "init":
		t.turnStarted()
	case "status":
		t.status()
	case "session_state_changed":
		t.add(SessionStateChanged{State: t.l.State})
	case "task_started", "task_progress", "task_updated", "task_notification":
		t.task()
	case "commands_changed":
		t.add(CommandsChanged{})
		t.keepRaw(reasonSubtype) // for clients that want the list
	case "background_tasks_changed":
		t.backgroundTasks()
	case "api_retry":
		t.retry()
	case "compact_boundary":
		t.compacted()
	case "local_command_output":
		if t.l.Content != "" {
			m := t.s.addMessage(carried{ID: t.s.newID(), Parent: key(t.l.Parent), Next: 1})
			t.text(m, block{Kind: kindText}, string(t.l.Content), true)
		}
	case "permission_denied":
		t.notice("PERMISSION_DENIED", t.messageText(),
			"tool", t.l.ToolName, "tool_use_id", t.l.ToolUse, "reason_type", t.l.ReasonType)
		t.add(DeniedByAgent{Tool: t.l.ToolName, ToolUse: t.l.ToolUse, Reason: t.l.ReasonType, Message: oneLine(t.messageText(), 200)})
	case "model_fallback", "model_refusal_fallback", "model_consent_fallback":
		t.retract(t.l.Retracted, "refused")
		t.notice(code(t.l.Subtype), string(t.l.Content),
			"trigger", t.l.Trigger, "original_model", t.l.OriginalModel, "fallback_model", t.l.FallbackModel)
	case "model_refusal_no_fallback":
		t.notice("MODEL_REFUSAL", string(t.l.Content), "original_model", t.l.OriginalModel)
	case "informational":
		t.notice("INFORMATIONAL", string(t.l.Content), "level", t.l.Level, "tag", t.l.Tag)
	case "notification":
		t.notice("NOTIFICATION", string(t.l.Text))
	case "session_title_changed":
		t.notice("TITLE_CHANGED", t.l.Title)
	case "session_writes_lost": // a later resume will lack these records
		t.notice("TRANSCRIPT_INCOMPLETE", "The agent could not write down a part of the conversation.",
			"error_code", t.l.ErrorCode)
	case "thinking_tokens", "control_request_progress": // of no use to clients
	default:
		t.keepRaw(reasonSubtype)
	}
}

// messageText returns the member message if it is a text.
func (t *translation) messageText() string { return textOf(decodeInput(t.l.Message)) }

func (t *translation) turnStarted() {
	t.s.d.Turn, t.s.d.Uttered = true, nil
	t.s.d.Partial = !claudecode.Of(t.l.Version, t.l.Capabilities...).ResultInputs
	started := TurnStarted{
		Inputs: t.l.Inputs, Model: t.l.Model, PermissionMode: t.l.PermissionMode,
		AgentSession: t.l.Session, Version: t.l.Version, Directory: t.l.Directory,
		Tools: limited(t.l.Tools), Servers: limited(t.l.Servers), Abilities: t.abilities(),
	}
	if len(started.Inputs) == 0 && t.l.Input != "" {
		started.Inputs = []string{t.l.Input}
	}
	if len(started.Inputs) == 0 && t.s.d.Notified {
		started.Origin = "task-notification" // the line does not have it; the result will
	}
	t.s.d.Unasked = len(started.Inputs) == 0 && started.Origin == "" && !t.s.d.Begun
	t.sawModel(t.l.Model)
	t.add(started)
	t.mode(t.l.PermissionMode)
	t.hint(betcodev1.AgentStatus_THINKING)
}

// maxReported bounds the lists of tools and servers.
const maxReported = 1024

// limited bounds a list whose length the agent determines.
func limited[T any](list []T) []T { return list[:min(len(list), maxReported)] }

// status translates the three reports of a status line, which may come together.
func (t *translation) status() {
	switch t.l.Status {
	case "requesting":
		t.hint(betcodev1.AgentStatus_THINKING)
	case "compacting":
		t.hint(betcodev1.AgentStatus_COMPACTING)
	case "":
	default:
		t.keepRaw(reasonState)
	}
	t.mode(t.l.PermissionMode)
	switch t.l.CompactResult {
	case "":
	case "failed":
		t.notice("COMPACTION_FAILED", string(t.l.CompactError))
		t.add(CompactionFailed{Error: cut(string(t.l.CompactError), maxError)})
		t.hint(betcodev1.AgentStatus_THINKING)
	default:
		t.hint(betcodev1.AgentStatus_THINKING)
	}
}

func (t *translation) compacted() {
	c := &t.l.Compact
	const most = uint64(1 << 53)
	s := Compacted{
		Trigger: c.Trigger, TokensBefore: clampInt(c.Before, most), TokensAfter: clampInt(c.After, most),
		Duration: millis(c.Duration),
	}
	t.s.d.Context = s.TokensAfter
	t.notice("COMPACTED", "The agent summarised the conversation so far.",
		"trigger", s.Trigger,
		"tokens_before", strconv.FormatUint(s.TokensBefore, 10),
		"tokens_after", strconv.FormatUint(s.TokensAfter, 10),
		"duration_ms", strconv.FormatInt(s.Duration.Milliseconds(), 10))
	t.add(s)
}

func (t *translation) retry() {
	w := RetryWait{
		Attempt: clampInt(t.l.Attempt, 1<<20), Max: clampInt(t.l.MaxRetries, 1<<20),
		Delay: millis(t.l.RetryDelay), Status: clampInt(t.l.ErrorStatus, 999), Error: short(string(t.l.Error)),
	}
	what := "gave no answer"
	if w.Status != 0 {
		what = "answered " + strconv.Itoa(w.Status)
	}
	if w.Error != "" {
		what += " (" + oneLine(w.Error, 200) + ")"
	}
	t.notice("API_RETRY", fmt.Sprintf("The API %s; attempt %d of %d follows in %s.",
		what, w.Attempt, w.Max, w.Delay.Round(100*time.Millisecond)),
		"attempt", strconv.Itoa(w.Attempt), "max_retries", strconv.Itoa(w.Max),
		messages.RetryAfter, strconv.FormatInt(w.Delay.Milliseconds(), 10),
		"status", positive(w.Status), "error", w.Error)
	t.add(w)
	if w.Status == statusTooMany {
		t.add(RateLimited{Until: t.at.Add(w.Delay)})
	}
}

// positive formats a number as a detail of a notice, empty for 0.
func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
