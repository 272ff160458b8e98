package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// A session with more history than the settings allow drops its beginning: later clients get a
// snapshot and the kept events, and so does an export.
func TestRetention(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "flood:2500:1KB")
	s.wait(c, 0, kit.IsIdle)
	settings := filepath.Join(s.world.ConfigDir(), "settings.json")
	if err := os.WriteFile(settings, []byte(`{"retention":{"session_max_bytes":"1MiB"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.killDaemon()
	c = s.converse("a", id)
	dropped, _ := s.wait(c, 0, isNotice("HISTORY_DROPPED"))
	low, err := strconv.ParseUint(dropped.GetNotice().GetDetails()["up_to"], 10, 64)
	if err != nil || dropped.GetNotice().GetDetails()["reason"] != "bytes" {
		t.Fatalf("%s: %v", kit.Line(dropped), err)
	}
	events := s.replay(id, 0)
	gap := -1
	for i, e := range events {
		if isCompactedInfo(e) {
			gap = i
		}
	}
	left, err := kit.Journaled(events, low+1)
	if err != nil || gap < 0 || events[gap+1].GetSequence() != low+1 {
		t.Fatalf("the snapshot is event %d of %d, %d are left: %v", gap, len(events), len(left), err)
	}
	size := 0
	for _, e := range left {
		size += len(e.Raw)
	}
	if size > 1<<20+4096 || size < 1<<19 {
		t.Errorf("%d bytes are left", size)
	}
	if lines := strings.Count(s.cli(0, "session", "export", id), "\n"); lines-1 < len(left) || lines > len(left)+100 {
		t.Errorf("%d lines are exported, %d events are left", lines, len(left))
	}
	if live := s.cliJSON(0, "journal", "verify"); live["ok"] != true {
		t.Errorf("verify: %v", live)
	}
}
