package local

import (
	"net"
	"path/filepath"
	"testing"
	"time"
)

func TestSocketOfALivingDaemon(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !Answers(path, 3*answersRetry) {
		t.Error("nobody answers on the socket of a living daemon")
	}
}

// What a killed daemon was just starting answers on its socket for a while.
func TestSocketOfADeadDaemon(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // a killed daemon leaves the file
	go func() {
		for range 2 { // found alive, and once more
			if conn, err := l.Accept(); err == nil {
				conn.Close()
			}
		}
		l.Close()
	}()
	if Answers(path, time.Minute) {
		t.Error("the socket of a dead daemon is taken for that of a living one")
	}
}
