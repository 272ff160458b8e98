package claude

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestInsists(t *testing.T) {
	for line, want := range map[string]string{
		`{}`: "",
		`{"decision_reason_type":"other","decision_reason":"x"}`:                                                                  "",
		`{"decision_reason_type":"subcommandResults","decision_reason":"x"}`:                                                      "",
		`{"decision_reason_type":"rule","decision_reason_rule_source":"flagSettings"}`:                                            "handed",
		`{"decision_reason_type":"rule","decision_reason_rule_source":"userSettings"}`:                                            "userSettings",
		`{"decision_reason_type":"rule"}`:                                                                                         "own",
		`{"decision_reason_type":"safetyCheck","decision_reason":"a sensitive file"}`:                                             "sensitive file",
		`{"decision_reason_type":"safetyCheck"}`:                                                                                  "own check",
		`{"decision_reason_type":"other","matched_ask_rule":{"source":"userSettings","tool_name":"Bash","rule_content":"cat *"}}`: "ask Bash(cat *)",
		`{"decision_reason_type":5,"matched_ask_rule":"odd"}`:                                                                     "",
		`{"decision_reason_type":"safetyCheck","decision_reason":{"odd":1}}`:                                                      "own check",
	} {
		var r controlRequest
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.insists(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", line, got)
		}
	}
}
