package transcript

import (
	"strings"
	"testing"
)

func TestLastAnswer(t *testing.T) {
	const one, two = `{"type":"assistant","uuid":"one"}` + "\n", `{"type":"assistant","uuid":"two"}` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":         {"", ""},
		"newest":        {one + `{"type":"user","uuid":"u"}` + "\n" + two + `{"type":"user","uuid":"v"}` + "\n", "two"},
		"subagent":      {one + `{"type":"assistant","uuid":"sub","isSidechain":true}` + "\n", "one"},
		"torn":          {one + `{"type":"assistant","uuid":"two"}`, "one"},
		"noise":         {one + "not JSON\n[]\n", "one"},
		"compacted":     {one + `{"type":"system","subtype":"compact_boundary","uuid":"c"}` + "\n", ""},
		"said since it": {one + `{"type":"system","subtype":"compact_boundary"}` + "\n" + two, "two"},
	} {
		if got, err := LastAnswer(strings.NewReader(test.text)); got != test.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
