package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// TestSessionRaw: what an agent wrote can be read as it was, while it lives, when its
// spool has been archived in part, and when it has ended, under another daemon too.
func TestSessionRaw(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "flood:60000:200\ngarbage\necho:the end")
	s.wait(c, 0, kit.IsIdle)
	spool := filepath.Join(s.world.StateDir(), "runs", id, "1", "stdout")
	archives := func() int {
		files, err := filepath.Glob(spool + ".*.zst")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	s.eventually("a part is archived", func() bool { return archives() > 0 })
	live := s.cli(0, "session", "raw", id)
	if info, err := os.Stat(spool); err != nil || info.Size() != int64(len(live)) {
		t.Errorf("%d bytes are printed of %v, %v", len(live), info, err)
	}
	if n := strings.Count(live, `"text_delta"`); n < 60000 || !strings.Contains(live, "Segmentation fault (just kidding)\n") || strings.Contains(live, "\x00") {
		t.Errorf("%d deltas among %d bytes", n, len(live))
	}
	s.killDaemon()
	if again := s.cli(0, "session", "raw", id); !strings.HasPrefix(again, live) {
		t.Errorf("another daemon prints %d bytes", len(again))
	}
	s.cli(0, "session", "stop", id)
	s.eventually("all of it is archived", func() bool { _, err := os.Stat(spool); return os.IsNotExist(err) })
	if ended := s.cli(0, "session", "raw", "--run", "1", id); !strings.HasPrefix(ended, live) {
		t.Errorf("%d bytes are printed of the ended run", len(ended))
	}
	s.cli(6, "session", "raw", "--run", "7", id)
}
