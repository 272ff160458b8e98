package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// cli runs the command line in the story's world.
func (s *story) cli(want int, args ...string) string {
	s.Helper()
	var out, complaint bytes.Buffer
	cmd := exec.Command(binaries.betcode, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.world.Environ(), s.world.Root, &out, &complaint
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		s.Fatalf("%s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &out, &complaint)
	}
	return out.String()
}

func (s *story) cliJSON(want int, args ...string) map[string]any {
	s.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(s.cli(want, append(args, "--json")...)), &object); err != nil {
		s.Fatal(err)
	}
	return object
}

// A journal is backed up while an agent works, and restored after further messages: the sessions
// are as at the backup, the run of that time has its end, clients notice the new lineage, and
// sessions go on.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id, other := session(), session()
	quiet := s.converse("b", other)
	s.say(quiet, "echo:before the backup")
	_, ended := s.wait(quiet, 0, kit.IsIdle)
	s.say(quiet, "biglines:200KB") // large, so it is stored as a blob
	s.wait(quiet, ended, kit.IsTurnComplete)
	c := s.converse("a", id)
	s.say(c, "run:touch made.txt && echo made")
	asked, at := s.wait(c, 0, kit.IsPermission)

	backup := filepath.Join(s.world.Root, "backup")
	s.cli(0, "journal", "backup", backup)
	s.cli(1, "journal", "backup", backup) // it is not empty
	state := s.world.StateDir()
	s.cli(1, "journal", "verify", "--state-dir", state) // the daemon has it
	s.cli(1, "journal", "restore", backup, "--state-dir", state, "--force")
	if live := s.cliJSON(0, "journal", "verify"); live["ok"] != true || live["sessions"] != 2.0 {
		t.Errorf("verify: %v", live)
	}
	stats := s.cliJSON(0, "journal", "stats")
	copied := s.cliJSON(0, "journal", "stats", "--backup", backup)
	if stats["lineage"] != copied["lineage"] || copied["sessions"] != 2.0 || copied["payloads"] != 1.0 {
		t.Errorf("stats %v of the journal, %v of the backup", stats, copied)
	}
	if report := s.cliJSON(0, "journal", "verify", "--backup", backup); report["ok"] != true {
		t.Errorf("verify: %v", report)
	}

	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, at, kit.IsTurnComplete)
	s.say(quiet, "echo:after the backup")
	s.wait(quiet, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "after") })
	seen := c.Events()
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	s.cli(0, "journal", "verify", "--state-dir", state)
	s.cli(1, "journal", "restore", backup, "--state-dir", state) // something is there
	restored := s.cliJSON(0, "journal", "restore", backup, "--state-dir", state, "--force")
	if restored["restored_from"] != stats["lineage"] || restored["lineage"] == stats["lineage"] || len(restored["moved_aside"].([]any)) != 2 {
		t.Errorf("restored: %v", restored)
	}

	s.start()
	d, err := s.daemon.Resume(t.Context(), other, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WaitEnd(); err != nil {
		t.Fatal(err)
	}
	if text := kit.Text(d.Events()); !strings.Contains(text, "before") || strings.Contains(text, "after") {
		t.Errorf("the other session says %q", text)
	}
	if !slices.ContainsFunc(d.Events(), func(e kit.Event) bool { return len(e.Raw) > 200<<10 }) {
		t.Error("what was large is not restored")
	}
	c = s.converseWith("a", &pb.StartConversation{SessionId: id})
	info, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	if info.GetSessionInfo().GetLineage() != restored["lineage"] {
		t.Errorf("lineage %q", info.GetSessionInfo().GetLineage())
	}
	end, at := s.wait(c, 0, func(e kit.Event) bool {
		return e.GetRun() != nil && e.GetRun().GetState() != pb.RunState_RUN_STATE_STARTED
	})
	if end.GetRun().GetState() != pb.RunState_RUN_STATE_LOST {
		t.Errorf("the run that was on its way is %v", end.GetRun())
	}
	before, err := kit.Journaled(seen, 1)
	if err != nil {
		t.Fatal(err)
	}
	now, err := kit.Journaled(c.Events()[:at], 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range now { // up to the backup the numbers and bytes are the same
		if e.GetSequence() > asked.GetSequence() {
			break
		}
		if err := kit.Same(before[i:i+1], now[i:i+1]); err != nil {
			t.Error(err)
		}
	}
	s.wait(c, 0, isNotice("TURN_ENDED_UNSEEN")) // it ended behind the backup
	view, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || view.GetSummary().GetWaiting() != "" || view.GetRun().GetRun() != 1 {
		t.Errorf("the restored session goes on: %v, %v", view, err)
	}
	quiet = s.converseWith("b", &pb.StartConversation{SessionId: other})
	s.say(quiet, "echo:life goes on")
	s.wait(quiet, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "life") })
	s.wait(quiet, 0, kit.IsIdle)
}
