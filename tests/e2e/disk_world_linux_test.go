package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	pb "betcode/proto/betcode/v1"
)

// These stories give the daemon a state directory on a filesystem of its own, in
// a mount namespace that ends with it. Where that is not allowed they are skipped.

// smallDisk is a program that runs the daemon so: a filesystem of that size is
// mounted before it starts, and another for the journal.
func smallDisk(t *testing.T, size, journal string) (program string) {
	t.Helper()
	unshare := []string{"unshare", "--mount", "--propagation", "private"}
	if os.Getuid() != 0 {
		unshare = append(unshare, "--map-root-user")
	}
	probe := append(unshare, "sh", "-c", `mount -t tmpfs -o size=1m betcode "$0"`, t.TempDir()) //nolint:gocritic // a new slice
	if out, err := exec.Command(probe[0], probe[1:]...).CombinedOutput(); err != nil {
		t.Skipf("no filesystem can be mounted here: %v: %s", err, out)
	}
	program = filepath.Join(t.TempDir(), "betcode")
	text := fmt.Sprintf(`#!/bin/sh
exec %s sh -c '
	mount -t tmpfs -o size=%s,mode=700 betcode "$XDG_STATE_HOME" && mkdir -p "$XDG_STATE_HOME/betcode/journal" &&
	mount -t tmpfs -o size=%s,mode=700 journal "$XDG_STATE_HOME/betcode/journal" && exec "$0" "$@"' %s "$@"
`, strings.Join(unshare, " "), size, journal, binaries.betcode)
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return program
}

// onDisk is a path of the state directory as the daemon sees it.
func (s *story) onDisk(name string) string {
	return filepath.Join(fmt.Sprintf("/proc/%d/root", s.daemon.PID()), s.world.StateDir(), name)
}

// fillDisk leaves about so many bytes of the filesystem of a directory of the
// state.
func (s *story) fillDisk(directory string, leave int64) {
	s.Helper()
	var disk unix.Statfs_t
	if err := unix.Statfs(s.onDisk(directory), &disk); err != nil {
		s.Fatal(err)
	}
	filler, err := os.Create(s.onDisk(filepath.Join(directory, "filler")))
	if err != nil {
		s.Fatal(err)
	}
	defer filler.Close()
	for page := make([]byte, disk.Bsize); leave == 0; { // the daemon takes some of it meanwhile
		if _, err := filler.Write(page); errors.Is(err, unix.ENOSPC) {
			return
		} else if err != nil {
			s.Fatal(err)
		}
	}
	if err := unix.Fallocate(int(filler.Fd()), 0, 0, int64(disk.Bavail)*disk.Bsize-leave); err != nil {
		s.Fatalf("fill a disk of %d blocks, %d free: %v", disk.Blocks, disk.Bavail, err)
	}
}

func (s *story) emptyDisk(directory string) {
	s.Helper()
	if err := os.Remove(s.onDisk(filepath.Join(directory, "filler"))); err != nil {
		s.Fatal(err)
	}
}

// agentState returns the kernel's state of a session's agent: T is stopped.
func (s *story) agentState(session string) string {
	s.Helper()
	view, err := s.daemon.Admin().ShowSession(context.Background(), &pb.ShowSessionRequest{SessionId: session})
	if err != nil {
		s.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", view.GetRun().GetPid()))
	if err != nil {
		s.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:1]
}
