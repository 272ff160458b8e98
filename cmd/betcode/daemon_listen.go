package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"betcode/messages"
)

// listen opens the socket in a directory of its own that only we may enter. A
// socket file that is there already is dialled first: only one that nobody
// answers is replaced.
func (d *daemon) listen(io.Writer) error {
	path := d.cfg.SocketPath
	if err := private(filepath.Dir(path)); err != nil {
		return err
	}
	switch _, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
			conn.Close()
			return messages.Errorf("listen", messages.Unavailable, "another daemon answers on %s", path).
				WithHint("use that one, stop it, or choose another --socket")
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove stale socket: %w", err)
		}
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	d.listener = listener
	return os.Chmod(path, 0o600)
}

// private makes sure that only the owner may enter a directory that we own, and
// refuses one that others may write to.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("%s is open to others: %w", dir, err)
	}
	return nil
}

// agentEnvironment is what agents inherit of the daemon's environment: all of
// it but what is about the daemon itself. It is read when an agent is started
// and never stored.
func agentEnvironment(environ []string) []string {
	kept := make([]string, 0, len(environ))
	for _, entry := range environ {
		if !strings.HasPrefix(entry, "BETCODE_") && !strings.HasPrefix(entry, "NOTIFY_SOCKET=") {
			kept = append(kept, entry)
		}
	}
	return kept
}
