package claude

import "encoding/json"

// FlagSettings is what the agent calls rules that it was handed with --settings: ours.
const FlagSettings = "flagSettings"

// askRule is the ask rule of the agent's user that a request names.
type askRule struct {
	Source string `json:"source"`
	Tool   string `json:"tool_name"`
	Rule   string `json:"rule_content"`
}

// insists says why the agent asks whatever else allows the call: a rule says so, its
// user's or one that was handed over, or its own check of dangerous calls does. It is
// empty where the agent asks because nothing allows the call.
func (r *controlRequest) insists() string {
	var rule askRule
	switch {
	case json.Unmarshal(r.AskRule, &rule) == nil && rule.Source != "":
		text := rule.Tool
		if rule.Rule != "" {
			text += "(" + rule.Rule + ")"
		}
		return oneLine("the agent's "+rule.Source+" have the rule ask "+text, maxID)
	case r.ReasonType == "rule" && r.RuleSource == FlagSettings:
		return "a rule that was handed to the agent wants a person to be asked"
	case r.ReasonType == "rule" && r.RuleSource != "":
		return oneLine("an ask rule in the agent's own "+string(r.RuleSource)+" wants a person to be asked", maxID)
	case r.ReasonType == "rule":
		return "an ask rule of the agent's own wants a person to be asked"
	case r.ReasonType == "safetyCheck" && r.DecisionReason != "":
		return oneLine("the agent's own check: "+string(r.DecisionReason), maxID)
	case r.ReasonType == "safetyCheck":
		return "the agent's own check of dangerous calls"
	}
	return ""
}
