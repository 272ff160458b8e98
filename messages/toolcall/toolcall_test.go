package toolcall

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"betcode/messages/visible"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ tool, input, agent, want string }{
		{"Bash", `{"command":"rm -rf /","description":"run it"}`, "run it", `rm -rf / (the agent says: "run it")`},
		{"Bash", `{"command":"ls"}`, "", "ls"},
		{"Bash", `{"command":"ls","description":"ls"}`, "ls", "ls"},
		{"Bash", `{"command":"echo a\nrm x\r"}`, "", `echo a\nrm x`},
		{"Bash", `{"command":"echo a\rrm x"}`, "", `echo a\rrm x`},
		{"Bash", `{"command":"ls                    ; rm x"}`, "", "ls ; rm x"},
		{"Bash", `{"command":"","description":"harmless"}`, "harmless", `{"command":""} (the agent says: "harmless")`},
		{"Bash", `{"description":"harmless"}`, "harmless", `Bash (the agent says: "harmless")`},
		{"Bash", `{"command":7,"description":"x"}`, "x", `{"command":7} (the agent says: "x")`},
		{"Write", `{"file_path":"/etc/passwd","content":"x"}`, "", "/etc/passwd"},
		{"Grep", `{"pattern":"key","path":"/home"}`, "", "key in /home"},
		{"WebFetch", `{"url":"https://example.com/","prompt":"read"}`, "", "https://example.com/"},
		{"Task", `{"subagent_type":"general","prompt":"find it","description":"Find"}`, "Find", `general: find it (the agent says: "Find")`},
		{"mcp__db__query", `{"sql":"drop table x","description":"look"}`, "look", `{"sql":"drop table x"} (the agent says: "look")`},
		{"mcp__fs__read", `{"path":"/x","n":1}`, "", "/x"},
		{"Bash", `{"command":"a\u202eb\u200b"}`, "x\u001b[2Jy", `a\u202eb\u200b (the agent says: "x\x1b[2Jy")`},
		{"ExitPlanMode", `{}`, "", "ExitPlanMode"},
		{"Budget", `{"used":"$1","budget":"$1","raised":"$2"}`, "", "raise the budget to $2"},
		{"Budget", `{"used":"$1","raised":"$2"}`, "", `{"raised":"$2","used":"$1"}`},
		{"Budget", `{"used":"$1","budget":"$1","raised":"$2","run":"x"}`, "", `{"budget":"$1","raised":"$2","run":"x","used":"$1"}`},
	} {
		var input map[string]any
		if err := json.Unmarshal([]byte(c.input), &input); err != nil {
			t.Fatal(err)
		}
		if got := Line(c.tool, input, c.agent); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.input, got, c.want)
		}
	}
}

func TestLongLine(t *testing.T) {
	command := "echo " + strings.Repeat("ü", 2000) + "; rm -rf x"
	line := Line("Bash", map[string]any{"command": command}, strings.Repeat("y", 1000))
	if len(line) > MaxLine || !utf8.ValidString(line) || !strings.HasPrefix(line, "echo ü") || !strings.Contains(line, "; rm -rf x (the agent says: ") {
		t.Errorf("%d bytes: %s", len(line), line)
	}
}

// For any input of an agent, the text is bounded, on one line, visible, and does not begin with the
// agent's description.
func FuzzLine(f *testing.F) {
	f.Add("Bash", []byte(`{"command":"ls","description":"run it"}`), "run it")
	f.Add("x", []byte(`{"description":"only words"}`), "only words")
	f.Add("mcp__a__b", []byte(`{"a":{"b":[1,"\u202e"]}}`), "\x1b")
	f.Fuzz(func(t *testing.T, tool string, raw []byte, agent string) {
		var input map[string]any
		_ = json.Unmarshal(raw, &input)
		line := Line(tool, input, agent)
		if len(line) > MaxLine && len(tool) < MaxLine || !utf8.ValidString(line) {
			t.Errorf("%d bytes: %q", len(line), line)
		}
		if strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsControl(r) || r != '\ufe0f' && visible.Hidden(r)
		}) {
			t.Errorf("hidden: %q", line)
		}
	})
}
