package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"betcode/config"
	"betcode/messages"
)

// heldLock is a state directory whose lock somebody has, and what its file says.
func heldLock(t *testing.T, content string) (state string, release func()) {
	t.Helper()
	state = t.TempDir()
	path := filepath.Join(state, lockName)
	lock := flock.New(path)
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return state, func() { _ = lock.Unlock() }
}

func TestLockOfALivingDaemon(t *testing.T) {
	t.Parallel()
	for _, content := range []string{strconv.Itoa(os.Getpid()), "", "nonsense"} {
		state, _ := heldLock(t, content)
		if err := (&daemon{cfg: config.Daemon{StateDir: state}}).lockState(); messages.KindOf(err) != messages.Unavailable {
			t.Errorf("held by %q: %v", content, err)
		}
	}
}

// What a killed daemon was just starting has its lock for a while.
func TestLockOfADeadDaemon(t *testing.T) {
	t.Parallel()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	state, release := heldLock(t, strconv.Itoa(gone.Process.Pid))
	time.AfterFunc(livingPatience+livingPatience/2, release)
	d := &daemon{cfg: config.Daemon{StateDir: state}}
	if err := d.lockState(); err != nil {
		t.Fatal(err)
	}
	defer d.lock.Unlock()
	if content, err := os.ReadFile(d.lock.Path()); string(content) != strconv.Itoa(os.Getpid()) {
		t.Errorf("the lock names %q, %v", content, err)
	}
}
