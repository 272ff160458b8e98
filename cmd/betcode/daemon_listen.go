package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/local"
	"betcode/messages"
)

// listen opens the named pipe or the socket that callers of this machine come by.
func (d *daemon) listen() (err error) {
	if !local.IsPipe(d.cfg.SocketPath) {
		return d.listenSocket()
	}
	if d.listener, err = local.ListenPipe(d.cfg.SocketPath); errors.Is(err, fs.ErrPermission) {
		return (&messages.Error{Op: "listen", Kind: messages.Unavailable, Err: err}).
			WithHint("somebody has a pipe of this name: use that daemon, stop it, or choose another --socket")
	}
	return err
}

// listenSocket opens the socket in a directory of its own that only we may enter. A
// socket file that is there already is dialled first: only one that nobody
// answers is replaced.
func (d *daemon) listenSocket() error {
	path := d.cfg.SocketPath
	if err := d.privateSocket(); err != nil {
		return err
	}
	switch _, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if answered(path, answersAtMost) {
			return messages.Errorf("listen", messages.Unavailable, "another daemon answers on %s", path).
				WithHint("use that one, stop it, or choose another --socket")
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove stale socket: %w", err)
		}
		d.log.Warn().Str("socket", path).Msg("socket of an earlier daemon replaced")
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	d.listener = listener
	listener.(*net.UnixListener).SetUnlinkOnClose(false) // removeSocket looks first whose it is
	if d.socket, err = os.Lstat(path); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

// How long a socket may go on to answer behind its daemon. The kernel takes
// connections for it as long as anybody has it open, and a daemon that was killed
// while it started a process leaves that one with everything until it has become
// another program.
const (
	answersAtMost = 2 * time.Second
	answersAgain  = 20 * time.Millisecond
)

// answered reports whether somebody answers on a socket, and still does after a
// while.
func answered(path string, while time.Duration) bool {
	for began := time.Now(); ; time.Sleep(answersAgain) {
		conn, err := net.DialTimeout("unix", path, time.Second)
		if err != nil {
			return false
		}
		conn.Close()
		if time.Since(began) > while {
			return true
		}
	}
}

// removeSocket removes the socket's file if it is still ours: somebody may have
// removed it, and another daemon have put its own there.
func (d *daemon) removeSocket() error {
	if d.socket == nil {
		return nil
	}
	if now, err := os.Lstat(d.cfg.SocketPath); err != nil || !os.SameFile(d.socket, now) {
		d.log.Warn().Str("socket", d.cfg.SocketPath).Msg("the socket is not ours any more and is left alone")
		return nil //nolint:nilerr // it is gone, which is what we want
	}
	return os.Remove(d.cfg.SocketPath)
}

// notifyKept is what a program for notifications gets of the daemon's environment:
// what it needs to find itself, its user, a desktop and the time. No secrets.
var notifyKept = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "SHELL": true, "LANG": true, "LC_ALL": true, "LC_CTYPE": true, "TZ": true,
	"TMPDIR": true, "DISPLAY": true, "WAYLAND_DISPLAY": true, "XAUTHORITY": true, "XDG_RUNTIME_DIR": true, "DBUS_SESSION_BUS_ADDRESS": true,
	"SystemRoot": true, "USERPROFILE": true,
}

func notifyEnvironment(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); notifyKept[name] {
			kept = append(kept, entry)
		}
	}
	return kept
}
