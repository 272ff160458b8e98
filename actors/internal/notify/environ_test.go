package notify

import (
	"strings"
	"testing"
)

// An agent that names a tool or a request as no variable can be does not keep its person from being told.
func TestEnvironOfHostileNotices(t *testing.T) {
	n := Notice{Code: "PERMISSION_WAITING", Message: "a\x00b", Details: map[string]string{
		"tool": "x\x00", "request_id": strings.Repeat("r", 1<<20),
	}}
	all := n.environ()
	for _, entry := range all {
		if strings.ContainsRune(entry, 0) || len(entry) > maxVariable+8 { // an ellipsis
			t.Errorf("%.80q has %d bytes", entry, len(entry))
		}
	}
	if all[1] != `BETCODE_MESSAGE=a\x00b` {
		t.Errorf("%q", all[1])
	}
}
