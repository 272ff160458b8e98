package notify

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An agent that names a tool or a request as no variable can be does not prevent the notice to its person.
func TestEnvironOfHostileNotices(t *testing.T) {
	n := Notice{Code: "PERMISSION_WAITING", Message: "a\x00b", Details: map[string]string{
		"tool": "x\x00", "request_id": strings.Repeat("r", 1<<20),
	}}
	all := n.shown().environ()
	for _, entry := range all {
		if strings.ContainsRune(entry, 0) || len(entry) > maxVariable+8 { // an ellipsis
			t.Errorf("%.80q has %d bytes", entry, len(entry))
		}
	}
	if all[1] != `BETCODE_MESSAGE=a\x00b` {
		t.Errorf("%q", all[1])
	}
}

// Texts for people have no invisible characters, whatever names an agent gives its tools.
func TestHiddenCharacters(t *testing.T) {
	n := Notice{Code: "PERMISSION_WAITS", Message: "x\u202e waits\nfor\x1b[2J you", Name: "a\nb", Details: map[string]string{"tool": "x\u200b\r"}}.shown()
	want := Notice{Code: "PERMISSION_WAITS", Message: `x\u202e waits` + "\n" + `for\x1b[2J you`, Name: `a\nb`, Details: map[string]string{"tool": `x\u200b\r`}}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Error(diff)
	}
	if again := n.shown(); !cmp.Equal(again, n) {
		t.Errorf("shown twice it is %+v", again)
	}
}
