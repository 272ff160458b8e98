package claude

import (
	"encoding/json"

	"betcode/messages"
)

// why returns the agent's explanation of a request, each text on one line.
func (r *controlRequest) why() messages.AskReason {
	return messages.AskReason{
		DisplayName: oneLine(r.DisplayName, maxID), Title: oneLine(string(r.Title), maxID), BlockedPath: oneLine(r.BlockedPath, maxID),
		Reason: oneLine(string(r.DecisionReason), maxID), ReasonType: oneLine(string(r.ReasonType), maxID),
		MatchedRule: oneLine(r.askRule(), maxID), NoSessionGrant: r.NoSessionGrant, DefaultToNo: r.DefaultToNo,
	}
}

// askRule returns the user's own rule that made the agent ask, in the notation of settings.
func (r *controlRequest) askRule() string {
	var rule struct {
		Tool string `json:"tool_name"`
		Rule string `json:"rule_content"`
	}
	if json.Unmarshal(r.AskRule, &rule) != nil || rule.Rule == "" {
		return rule.Tool
	}
	return rule.Tool + "(" + rule.Rule + ")"
}
