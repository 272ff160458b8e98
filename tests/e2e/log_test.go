package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// entries returns the lines of the daemon's log. Each must be an object with the members that the
// daemon document requires.
func (s *story) entries() []map[string]any {
	s.Helper()
	var all []map[string]any
	for line := range strings.Lines(s.daemon.Log()) {
		if !strings.HasSuffix(line, "\n") {
			break // it is being written
		}
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			s.Fatalf("not a line of a log: %s", line)
		}
		for _, name := range []string{"timestamp", "level", "span", "target", "message"} {
			if text, ok := entry[name].(string); !ok || text == "" {
				s.Errorf("a line without %s: %s", name, line)
			}
		}
		all = append(all, entry)
	}
	return all
}

// logged waits for a line, and returns it.
func (s *story) logged(message string, with ...string) map[string]any {
	s.Helper()
	var found map[string]any
	s.eventually(message+" is logged", func() bool {
		for _, entry := range s.entries() {
			raw, _ := json.Marshal(entry)
			fits := entry["message"] == message
			for _, word := range with {
				fits = fits && strings.Contains(string(raw), word)
			}
			if fits {
				found = entry
				return true
			}
		}
		return false
	})
	return found
}

// logs waits for a line of the daemon's log that has all words.
func (s *story) logs(words ...string) {
	s.Helper()
	_, err := s.daemon.Logged(fmt.Sprintf("a line with %q", words), func(line string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) })
	})
	if err != nil {
		s.Fatal(err)
	}
}

// logStory plays a few turns with a message, an allowed call, a denied call, garbage, and a crash.
func (s *story) logStory() (id string) {
	s.Helper()
	id = session()
	c := s.converse("a", id)
	s.say(c, "echo:the word is Bearer abcdefgh12345678 and heliotrope")
	_, next := s.wait(c, 0, kit.IsIdle)
	s.say(c, "run:true")
	asked, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "run:false")
	asked, next = s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_DENY, "no")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "garbage")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "stderr:100")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "exit:3\necho:second try")
	_, next = s.wait(c, next, func(e kit.Event) bool { return e.GetError().GetCode() == "SUBPROCESS_CRASHED" })
	s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	c.Close()
	return id
}

// The levels of what happens, as the table of the daemon document has them.
var logTable = []struct {
	message, level string
	field, value   string // one that the line has to have; none if empty
}{
	{"agent failed", "error", "code", "SUBPROCESS_CRASHED"},
	{"permission denied", "warn", "tool", "Bash"},
	{"agent is started again", "warn", "run", ""},
	{"agent wrote lines that are not JSON", "warn", "lines", ""},
	{"session created", "info", "by", "a"},
	{"session resumed", "info", "", ""},
	{"session changed", "info", "to", ""},
	{"client attached", "info", "client", "a"},
	{"client detached", "info", "stream", ""},
	{"agent is started", "info", "run", ""},
	{"agent ended", "info", "exit_code", ""},
	{"call ended", "info", "code", ""},
	{"permission is asked of people", "debug", "request_id", ""},
	{"permission granted", "debug", "request_id", ""},
	{"line", "debug", "type", ""},
	{"raw line", "trace", "line", ""},
	{"frame", "trace", "bytes", ""},
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	loudness := map[string]int{"error": 0, "warn": 1, "info": 2, "debug": 3, "trace": 4}
	for level, most := range loudness {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, binaries.fake, "BETCODE_LOG_LEVEL="+level)
			id := s.logStory()
			for _, row := range logTable {
				if loudness[row.level] > most {
					continue
				}
				entry := s.logged(row.message, row.value, id)
				if entry["level"] != row.level {
					t.Errorf("%q is logged at %v, the document says %s", row.message, entry["level"], row.level)
				}
				if _, ok := entry[row.field]; row.field != "" && !ok {
					t.Errorf("%q has no %s: %v", row.message, row.field, entry)
				}
				if entry["session_id"] != id {
					t.Errorf("%q does not say which session: %v", row.message, entry)
				}
			}
			for _, entry := range s.entries() {
				if loudness[entry["level"].(string)] > most {
					t.Errorf("louder than %s: %v", level, entry)
				}
			}
			if level == "trace" {
				s.logs("heliotrope")
			} else if strings.Contains(s.daemon.Log(), "heliotrope") {
				t.Error("the log shows what was said")
			}
			if strings.Contains(s.daemon.Log(), "Bearer abcdefgh") {
				t.Error("the log shows what looks like a secret")
			}
		})
	}
}
