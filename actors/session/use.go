package session

import (
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/permission"
	"betcode/messages"
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
