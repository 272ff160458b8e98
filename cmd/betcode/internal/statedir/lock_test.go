package statedir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"betcode/messages"
)

// heldLock returns a state directory that is locked, with a lock file of this content.
func heldLock(t *testing.T, content string) (state string, release func()) {
	t.Helper()
	state = t.TempDir()
	path := filepath.Join(state, LockName)
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
		if _, err := Lock(state); messages.KindOf(err) != messages.Unavailable {
			t.Errorf("held by %q: %v", content, err)
		}
	}
}

// TestLockOfADeadDaemon checks that a daemon waits for a lock that a child of a killed daemon still has.
func TestLockOfADeadDaemon(t *testing.T) {
	t.Parallel()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	state, release := heldLock(t, strconv.Itoa(gone.Process.Pid))
	time.AfterFunc(livingPatience+livingPatience/2, release)
	lock, err := Lock(state)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if content, err := os.ReadFile(lock.Path()); string(content) != strconv.Itoa(os.Getpid()) {
		t.Errorf("the lock names %q, %v", content, err)
	}
}
