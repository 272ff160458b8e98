package host

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"betcode/messages/masking"
)

// Values from clients are escaped: they make no second line of a log and have no effect on a terminal. A reader of
// the JSON gets them unchanged.
func TestLogEscapesValues(t *testing.T) {
	t.Parallel()
	const said = "a\x1b[31m\n{\"level\":\"info\"}\u009b2J\u202egnp\u2066\U000e0041 é 漢"
	var out bytes.Buffer
	d := &daemon{mask: masking.New(nil)}
	log := zerolog.New(d.masked(&out))
	log.Error().Str("tool", said).Msg("permission denied")
	line := out.String()
	if strings.Count(line, "\n") != 1 || strings.ContainsAny(line, "\x1b\u009b\u202e\u2066\U000e0041") || !strings.Contains(line, "é 漢") {
		t.Errorf("logged as %q", line)
	}
	var entry struct{ Tool string }
	if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Tool != said {
		t.Errorf("read back as %q, %v", entry.Tool, err)
	}
}
