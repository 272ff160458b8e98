package messages

// AskReason is what the agent says about a permission request beside the call itself.
// Each text is one line; empty where the agent says nothing.
type AskReason struct {
	ParentToolUse string // the call that started the asking subagent
	DisplayName   string // of the tool, for people
	Title         string // the question, in the agent's words
	Reason        string // why it asks
	ReasonType    string // "rule", "mode", "safetyCheck", …
	BlockedPath   string // the path that made it ask
	MatchedRule   string // the user's own ask rule that made it ask

	NoSessionGrant bool // an answer for the whole session is not to be offered
	DefaultToNo    bool // no is the answer to begin with
}

// Context is the reason for the audit log, by name.
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
