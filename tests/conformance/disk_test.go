package conformance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// diskStories give the daemon a small filesystem for its journal, in a mount
// namespace that ends with it.
var diskStories = []story{
	{name: "the journal fails", env: []string{"BETCODE_DISK_LOW=16MiB"}, setup: smallDisk, needs: mounting, run: journalFails},
}

// unshare begins a command that may mount.
func unshare() []string {
	args := []string{"unshare", "--mount", "--propagation", "private"}
	if os.Getuid() != 0 {
		args = append(args, "--map-root-user")
	}
	return args
}

// mounting returns the reason why this machine cannot mount file systems, nil if it can.
func mounting() error {
	probe := append(unshare(), "sh", "-c", `mount -t tmpfs -o size=1m betcode "$0"`, os.TempDir())
	if out, err := exec.Command(probe[0], probe[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("no filesystem can be mounted here: %w: %s", err, out)
	}
	return nil
}

// smallDisk runs the daemon with a journal on a filesystem of its own.
func smallDisk(_ *testing.T, w *kit.World) error {
	program := filepath.Join(w.Root, "betcode")
	text := fmt.Sprintf(`#!/bin/sh
exec %s sh -c '
	mount -t tmpfs -o size=256m,mode=700 betcode "$XDG_STATE_HOME" && mkdir -p "$XDG_STATE_HOME/betcode/journal" &&
	mount -t tmpfs -o size=96m,mode=700 journal "$XDG_STATE_HOME/betcode/journal" && exec "$0" "$@"' %s "$@"
`, strings.Join(unshare(), " "), w.Binary)
	w.Binary = program
	return os.WriteFile(program, []byte(text), 0o700)
}

// journalFails: streaming goes on, messages are refused, and health reports it.
func journalFails(s *stage) {
	filler := filepath.Join(fmt.Sprintf("/proc/%d/root", s.daemon.PID()), s.world.StateDir(), "journal", "filler")
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "stream:3000:4096:1ms\necho:the end")
	s.wait(c, 0, kit.IsText)
	fill(s, filler)
	_, next := s.wait(c, 0, isNotice("JOURNAL_FAILS"))
	s.wait(c, next, func(e kit.Event) bool { return kit.IsText(e) && e.GetVolatile() && e.GetSequence() == 0 })
	s.say(c, "echo:one more")
	s.wait(c, next, isError("SQLITE_ERROR"))
	details, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(s.Context(), &pb.HealthDetailsRequest{})
	s.must(err)
	failing := false
	for _, c := range details.GetComponents() {
		failing = failing || c.GetName() == "sqlite" && c.GetStatus() == pb.ServingStatus_NOT_SERVING
	}
	if !failing || details.GetOverallStatus() != pb.ServingStatus_NOT_SERVING {
		s.Errorf("health: %v", details)
	}
	s.must(os.Remove(filler))
	_, next = s.wait(c, next, isNotice("JOURNAL_BACK"))
	s.wait(c, next, func(e kit.Event) bool { return kit.IsIdle(e) && e.GetSequence() > 0 })
	if _, err := kit.Journaled(c.Events(), 1); err != nil {
		s.Error(err)
	}
	s.shows("Daemon Health Criteria", "sqlite NOT_SERVING", "Overall NOT_SERVING")
	s.shows("Error Handling", "SQLite write failure")
}

// fill leaves nothing of a filesystem.
func fill(s *stage, path string) {
	file, err := os.Create(path)
	s.must(err)
	defer file.Close()
	for page := make([]byte, 1<<16); ; {
		if _, err := file.Write(page); errors.Is(err, unix.ENOSPC) {
			return
		} else if err != nil {
			s.Fatal(err)
		}
	}
}
