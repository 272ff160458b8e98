package claude

import (
	"encoding/json"
	"path"
	"strings"
)

// FlagSettings is the agent's name for the source of rules given with --settings: the daemon's.
const FlagSettings = "flagSettings"

// askRule is the ask rule of the agent's user that a request names.
type askRule struct {
	Source string `json:"source"`
	Tool   string `json:"tool_name"`
	Rule   string `json:"rule_content"`
}

// insists returns why the agent asks although a rule may allow the call: an ask rule of
// its user or of --settings, or the agent's own check of dangerous calls. It is empty
// if the agent asks because nothing allows the call.
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

// Reasons of Claude Code 2.1.330 when its shell is in a directory in which git uses another
// repository than its project's.
const (
	foreignRepository = "Git would use a repository that Claude Code cannot match to this project"
	unknownRepository = "Claude Code cannot tell which repository git would use here"
	folderSays        = `Its folder: "`
)

// OtherRepository reports whether the reason of a request is that git would use another
// repository than the project's. dir is that repository's directory, empty if it is unknown.
func OtherRepository(reason string) (dir string, other bool) {
	if !strings.HasPrefix(reason, foreignRepository) {
		return "", strings.HasPrefix(reason, unknownRepository)
	}
	if at := strings.LastIndex(reason, folderSays); at >= 0 {
		dir, _ = strings.CutSuffix(reason[at+len(folderSays):], `"`)
	}
	if !path.IsAbs(dir) || strings.HasSuffix(reason, "…") {
		dir = ""
	}
	return dir, true
}
