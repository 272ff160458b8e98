package messages

// AskReason is what the agent reports about a permission request besides the call itself.
// Each text is one line, and empty if the agent reports none.
type AskReason struct {
	ParentToolUse string // the call that started the asking subagent
	DisplayName   string // of the tool, for people
	Title         string // the question, as the agent words it
	Reason        string // why it asks
	ReasonType    string // "rule", "mode", "safetyCheck", …
	BlockedPath   string // the path because of which it asks
	MatchedRule   string // the user's ask rule because of which it asks

	NoSessionGrant bool // clients must not offer an answer for the whole session
	DefaultToNo    bool // clients preselect "no"
}

// Context returns the texts that are not empty, by their names in the audit log.
func (r AskReason) Context() map[string]string {
	context := map[string]string{}
	for name, value := range map[string]string{
		"parent_tool_use_id": r.ParentToolUse, "display_name": r.DisplayName, "title": r.Title, "decision_reason": r.Reason,
		"decision_reason_type": r.ReasonType, "blocked_path": r.BlockedPath, "matched_ask_rule": r.MatchedRule,
	} {
		if value != "" {
			context[name] = value
		}
	}
	return context
}
