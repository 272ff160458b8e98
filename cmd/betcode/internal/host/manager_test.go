package host

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A process manager that does not read fills its socket's queue. A notification ends then, with an error.
func TestManagerThatDoesNotRead(t *testing.T) {
	dir, err := os.MkdirTemp("", "bc") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	sent := 0
	for ; err == nil; sent++ {
		err = notify(path, "WATCHDOG=1", 20*time.Millisecond)
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) || sent < 2 {
		t.Errorf("notification %d ended with %v", sent, err)
	}
	if _, err := socket.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := notify(path, "STOPPING=1", time.Minute); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if err := notify("", "READY=1", time.Minute); err != nil {
		t.Errorf("without a manager: %v", err)
	}
}
