package session

import (
	"fmt"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/permission"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/messages"
	"betcode/messages/toolcall"
)

// Sessions are listed by their last use, and clients continue the one used last. Only
// what a person does and what the agent does in a turn is use. The end of a run,
// parking, eviction, adoption, locks and answers to requests of the daemon's own are not.

// isUse reports whether a message is a person's action on the session. A request that
// changes nothing is no use either way: it writes nothing.
func isUse(m any) bool {
	switch m := m.(type) {
	case messages.StartSession, messages.SendInput, messages.CancelTurn, messages.ChangeSettings, messages.RenameSession,
		messages.StopSession, messages.ContinueSession, messages.RestartSession, messages.SetGrant, messages.ClearGrants,
		messages.CompactSession, messages.AnswerPermission:
		return true
	case permission.Decided:
		return m.Answer.Decision != messages.DecisionExpired
	}
	return false
}

// outputIsUse reports whether the agent's lines belong to a turn; before says whether a turn ran before them.
func (t *transition) outputIsUse(before bool, items []claude.Item) bool {
	if !before && !t.s.record.Turn {
		return slices.ContainsFunc(items, func(item claude.Item) bool {
			_, ended := item.(claude.TurnEnded)
			return ended
		})
	}
	return !t.onlyAnswers(items)
}

// onlyAnswers reports whether the agent wrote nothing but answers to the session's own requests. They do not change UpdatedAt.
func (t *transition) onlyAnswers(items []claude.Item) bool {
	for _, item := range items {
		switch m := item.(type) {
		case claude.ControlAnswered:
		case claude.BackgroundTasks: // an answer to initialize is followed by the list
			if !slices.Equal(m.IDs, t.s.record.Background) {
				return false
			}
		default:
			return false
		}
	}
	return len(items) > 0
}

// extendPrompts extends undecided requests when a client is active.
func (t *transition) extendPrompts(m any) {
	if !t.s.options.Extend || !t.s.exists || t.s.deleting() {
		return
	}
	switch m := m.(type) {
	case messages.Attach, messages.SendInput, messages.CancelTurn, messages.TakeLock, messages.ReleaseLock, messages.RefuseLock,
		messages.ChangeSettings, messages.RenameSession, messages.SetGrant, messages.ClearGrants:
		t.extend("")
	case messages.AnswerPermission:
		t.extend(t.s.prompts.Current(prompts.RequestOf(m.Request)))
	}
}

// extend gives every undecided request its whole TTL again, except the one that is being answered and those that have expired.
func (t *transition) extend(but messages.RequestID) {
	for _, p := range t.s.prompts.Extended(act.Wall(t.now.at), t.s.options.PermissionTTL, but) {
		t.putPermission(p)
		t.then(update{p})
		t.publishUnnumbered(events.PermissionExtended(p))
	}
}

// remind announces a waiting request again, once per reminder.
func (t *transition) remind(m permission.ReminderDue) {
	p, ok := t.s.prompts.Find(m.Request)
	if !ok || prompts.Decided(p) || m.Number <= prompts.RemindersSent(p) {
		return
	}
	p = prompts.Reminded(p, m.Number)
	t.putPermission(p)
	tool, age := texts.Shorten(p.Tool, maxShown), humanAge(act.Wall(t.now.at).Sub(p.ReceivedAt))
	n := Notice{
		Code: "PERMISSION_REMINDER", Session: t.s.id, Name: t.s.record.Name,
		Message: fmt.Sprintf("%s has waited for an answer for %s: %s", tool, age, toolcall.Cut(p.Description, maxNotified)),
		Details: map[string]string{"request_id": string(p.Request), "tool": tool, "age": age},
	}
	t.notice(n.Code, n.Message, n.Details)
	t.then(notify{n})
}

// humanAge is an age in the largest unit that fits, rounded down: "1h", "2d".
func humanAge(age time.Duration) string {
	for _, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		if age >= unit && (unit < 24*time.Hour || age >= 48*time.Hour) {
			return texts.Duration(age.Truncate(unit))
		}
	}
	return texts.Duration(age)
}
